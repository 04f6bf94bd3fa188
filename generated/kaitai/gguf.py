# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
import ggml
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Gguf(KaitaiStruct):
    """GGUF is the file format in which llama.cpp, Ollama, LM Studio and other users of the ggml
    library keep language models. A small header (typed key-value metadata and a table of
    tensors) is followed by the data section: the aligned, usually quantised tensor data.
    
    Versions 1 to 3 are covered. Version 1 has 32-bit counts, lengths and dimensions, versions
    2 and 3 have 64-bit ones. Version 3 introduced big-endian files. No field says which byte
    order a file has: the magic never changes, but the version number, read in the wrong order,
    has a zero low half.
    
    Keys that start with `-` are for the code generator of gguf-construct: `-limit` names the
    safety limit of a count, `-label` the field that names an item in error messages, `-lazy`
    an array that is kept as a view of the file. A field may be one of some versions only
    (`if: version >= 4`); `-default` is its value in the others, 0 or no text where nothing
    is stated. `-since` is the version that brought a member of an enum. `-facts` are the
    decisions that no field expresses.
    
    .. seealso::
       Source - https://github.com/ggml-org/ggml/blob/d99724f2/docs/gguf.md
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(Gguf, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(4)
        if not self.magic == b"\x47\x47\x55\x46":
            raise kaitaistruct.ValidationNotEqualError(b"\x47\x47\x55\x46", self.magic, self._io, u"/seq/0")
        self.body = Gguf.Body(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.body._fetch_instances()
        _ = self.version_be
        if hasattr(self, '_m_version_be'):
            pass

        _ = self.version_le
        if hasattr(self, '_m_version_le'):
            pass


    class Body(KaitaiStruct):
        """The whole file after the magic. All types that depend on the byte order are nested here."""

        class ValueType(IntEnum):
            uint8 = 0
            int8 = 1
            uint16 = 2
            int16 = 3
            uint32 = 4
            int32 = 5
            float32 = 6
            bool = 7
            string = 8
            array = 9
            uint64 = 10
            int64 = 11
            float64 = 12
        def __init__(self, _io, _parent=None, _root=None):
            super(Gguf.Body, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            _on = self._root.is_be
            if _on == True:
                pass
                self._is_le = False
            elif _on == False:
                pass
                self._is_le = True
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/body")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.version = self._io.read_u4le()
            if not  ((self.version == 1) or (self.version == 2) or (self.version == 3)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.version, self._io, u"/types/body/seq/0")
            self.num_tensors = Gguf.Body.Size(self._io, self, self._root, self._is_le)
            self.num_metadata = Gguf.Body.Size(self._io, self, self._root, self._is_le)
            self.metadata = []
            for i in range(self.num_metadata.value):
                self.metadata.append(Gguf.Body.MetadataKv((self.metadata[i - 1].alignment if i > 0 else self.default_alignment), self._io, self, self._root, self._is_le))

            self.tensor_infos = []
            for i in range(self.num_tensors.value):
                self.tensor_infos.append(Gguf.Body.TensorInfo(self._io, self, self._root, self._is_le))

            if self.ofs_header_end >= 0:
                pass
                self.header_end = self._io.read_bytes(0)


        def _read_be(self):
            self.version = self._io.read_u4be()
            if not  ((self.version == 1) or (self.version == 2) or (self.version == 3)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.version, self._io, u"/types/body/seq/0")
            self.num_tensors = Gguf.Body.Size(self._io, self, self._root, self._is_le)
            self.num_metadata = Gguf.Body.Size(self._io, self, self._root, self._is_le)
            self.metadata = []
            for i in range(self.num_metadata.value):
                self.metadata.append(Gguf.Body.MetadataKv((self.metadata[i - 1].alignment if i > 0 else self.default_alignment), self._io, self, self._root, self._is_le))

            self.tensor_infos = []
            for i in range(self.num_tensors.value):
                self.tensor_infos.append(Gguf.Body.TensorInfo(self._io, self, self._root, self._is_le))

            if self.ofs_header_end >= 0:
                pass
                self.header_end = self._io.read_bytes(0)



        def _fetch_instances(self):
            pass
            self.num_tensors._fetch_instances()
            self.num_metadata._fetch_instances()
            for i in range(len(self.metadata)):
                pass
                self.metadata[i]._fetch_instances()

            for i in range(len(self.tensor_infos)):
                pass
                self.tensor_infos[i]._fetch_instances()

            if self.ofs_header_end >= 0:
                pass

            _ = self.data_section
            if hasattr(self, '_m_data_section'):
                pass

            _ = self.padding
            if hasattr(self, '_m_padding'):
                pass


        class Array(KaitaiStruct):
            """Elements of one type, back to back without padding. Elements may be arrays themselves."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.Array, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/array")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.element_type = KaitaiStream.resolve_enum(Gguf.Body.ValueType, self._io.read_u4le())
                if not isinstance(self.element_type, Gguf.Body.ValueType):
                    raise kaitaistruct.ValidationNotInEnumError(self.element_type, self._io, u"/types/body/types/array/seq/0")
                self.num_elements = Gguf.Body.Size(self._io, self, self._root, self._is_le)
                self.elements = []
                for i in range(self.num_elements.value):
                    _on = self.element_type
                    if _on == Gguf.Body.ValueType.array:
                        pass
                        self.elements.append(Gguf.Body.Array(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.bool:
                        pass
                        self.elements.append(Gguf.Body.ScalarBool(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.float32:
                        pass
                        self.elements.append(Gguf.Body.ScalarFloat32(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.float64:
                        pass
                        self.elements.append(Gguf.Body.ScalarFloat64(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int16:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt16(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int32:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt32(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int64:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt64(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int8:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt8(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.string:
                        pass
                        self.elements.append(Gguf.Body.String(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint16:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint16(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint32:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint32(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint64:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint64(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint8:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint8(self._io, self, self._root, self._is_le))


            def _read_be(self):
                self.element_type = KaitaiStream.resolve_enum(Gguf.Body.ValueType, self._io.read_u4be())
                if not isinstance(self.element_type, Gguf.Body.ValueType):
                    raise kaitaistruct.ValidationNotInEnumError(self.element_type, self._io, u"/types/body/types/array/seq/0")
                self.num_elements = Gguf.Body.Size(self._io, self, self._root, self._is_le)
                self.elements = []
                for i in range(self.num_elements.value):
                    _on = self.element_type
                    if _on == Gguf.Body.ValueType.array:
                        pass
                        self.elements.append(Gguf.Body.Array(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.bool:
                        pass
                        self.elements.append(Gguf.Body.ScalarBool(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.float32:
                        pass
                        self.elements.append(Gguf.Body.ScalarFloat32(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.float64:
                        pass
                        self.elements.append(Gguf.Body.ScalarFloat64(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int16:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt16(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int32:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt32(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int64:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt64(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.int8:
                        pass
                        self.elements.append(Gguf.Body.ScalarInt8(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.string:
                        pass
                        self.elements.append(Gguf.Body.String(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint16:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint16(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint32:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint32(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint64:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint64(self._io, self, self._root, self._is_le))
                    elif _on == Gguf.Body.ValueType.uint8:
                        pass
                        self.elements.append(Gguf.Body.ScalarUint8(self._io, self, self._root, self._is_le))



            def _fetch_instances(self):
                pass
                self.num_elements._fetch_instances()
                for i in range(len(self.elements)):
                    pass
                    _on = self.element_type
                    if _on == Gguf.Body.ValueType.array:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.bool:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.float32:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.float64:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.int16:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.int32:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.int64:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.int8:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.string:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.uint16:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.uint32:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.uint64:
                        pass
                        self.elements[i]._fetch_instances()
                    elif _on == Gguf.Body.ValueType.uint8:
                        pass
                        self.elements[i]._fetch_instances()



        class Dimension(KaitaiStruct):
            """A dimension of a tensor; it hands the number of elements so far on to the next one."""
            def __init__(self, num_elements_before, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.Dimension, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self.num_elements_before = num_elements_before
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/dimension")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = Gguf.Body.Size(self._io, self, self._root, self._is_le)

            def _read_be(self):
                self.value = Gguf.Body.Size(self._io, self, self._root, self._is_le)


            def _fetch_instances(self):
                pass
                self.value._fetch_instances()

            @property
            def num_elements(self):
                """Product of the dimensions up to this one."""
                if hasattr(self, '_m_num_elements'):
                    return self._m_num_elements

                self._m_num_elements = self.num_elements_before * self.value.value
                return getattr(self, '_m_num_elements', None)


        class MetadataKv(KaitaiStruct):
            """A metadata pair. Kaitai cannot look a key up in a list, so each pair hands the alignment on to the next."""
            def __init__(self, alignment_before, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.MetadataKv, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self.alignment_before = alignment_before
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/metadata_kv")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.key = Gguf.Body.String(self._io, self, self._root, self._is_le)
                self.value_type = KaitaiStream.resolve_enum(Gguf.Body.ValueType, self._io.read_u4le())
                if not isinstance(self.value_type, Gguf.Body.ValueType):
                    raise kaitaistruct.ValidationNotInEnumError(self.value_type, self._io, u"/types/body/types/metadata_kv/seq/1")
                _on = self.value_type
                if _on == Gguf.Body.ValueType.array:
                    pass
                    self.value = Gguf.Body.Array(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.bool:
                    pass
                    self.value = Gguf.Body.ScalarBool(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.float32:
                    pass
                    self.value = Gguf.Body.ScalarFloat32(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.float64:
                    pass
                    self.value = Gguf.Body.ScalarFloat64(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int16:
                    pass
                    self.value = Gguf.Body.ScalarInt16(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int32:
                    pass
                    self.value = Gguf.Body.ScalarInt32(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int64:
                    pass
                    self.value = Gguf.Body.ScalarInt64(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int8:
                    pass
                    self.value = Gguf.Body.ScalarInt8(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.string:
                    pass
                    self.value = Gguf.Body.String(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint16:
                    pass
                    self.value = Gguf.Body.ScalarUint16(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint32:
                    pass
                    self.value = Gguf.Body.ScalarUint32(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint64:
                    pass
                    self.value = Gguf.Body.ScalarUint64(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint8:
                    pass
                    self.value = Gguf.Body.ScalarUint8(self._io, self, self._root, self._is_le)

            def _read_be(self):
                self.key = Gguf.Body.String(self._io, self, self._root, self._is_le)
                self.value_type = KaitaiStream.resolve_enum(Gguf.Body.ValueType, self._io.read_u4be())
                if not isinstance(self.value_type, Gguf.Body.ValueType):
                    raise kaitaistruct.ValidationNotInEnumError(self.value_type, self._io, u"/types/body/types/metadata_kv/seq/1")
                _on = self.value_type
                if _on == Gguf.Body.ValueType.array:
                    pass
                    self.value = Gguf.Body.Array(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.bool:
                    pass
                    self.value = Gguf.Body.ScalarBool(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.float32:
                    pass
                    self.value = Gguf.Body.ScalarFloat32(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.float64:
                    pass
                    self.value = Gguf.Body.ScalarFloat64(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int16:
                    pass
                    self.value = Gguf.Body.ScalarInt16(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int32:
                    pass
                    self.value = Gguf.Body.ScalarInt32(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int64:
                    pass
                    self.value = Gguf.Body.ScalarInt64(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.int8:
                    pass
                    self.value = Gguf.Body.ScalarInt8(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.string:
                    pass
                    self.value = Gguf.Body.String(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint16:
                    pass
                    self.value = Gguf.Body.ScalarUint16(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint32:
                    pass
                    self.value = Gguf.Body.ScalarUint32(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint64:
                    pass
                    self.value = Gguf.Body.ScalarUint64(self._io, self, self._root, self._is_le)
                elif _on == Gguf.Body.ValueType.uint8:
                    pass
                    self.value = Gguf.Body.ScalarUint8(self._io, self, self._root, self._is_le)


            def _fetch_instances(self):
                pass
                self.key._fetch_instances()
                _on = self.value_type
                if _on == Gguf.Body.ValueType.array:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.bool:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.float32:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.float64:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.int16:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.int32:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.int64:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.int8:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.string:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.uint16:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.uint32:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.uint64:
                    pass
                    self.value._fetch_instances()
                elif _on == Gguf.Body.ValueType.uint8:
                    pass
                    self.value._fetch_instances()

            @property
            def alignment(self):
                """The alignment in force after this pair; an alignment of zero cannot be used and is passed over."""
                if hasattr(self, '_m_alignment'):
                    return self._m_alignment

                self._m_alignment = (self.value.value if  ((self.is_alignment) and (self.value.value > 0))  else self.alignment_before)
                return getattr(self, '_m_alignment', None)

            @property
            def is_alignment(self):
                """True for the key general.alignment (spelled in ASCII codes) of the only type that readers accept for it."""
                if hasattr(self, '_m_is_alignment'):
                    return self._m_is_alignment

                self._m_is_alignment =  ((self.value_type == Gguf.Body.ValueType.uint32) and (self.key.value == b"\x67\x65\x6E\x65\x72\x61\x6C\x2E\x61\x6C\x69\x67\x6E\x6D\x65\x6E\x74")) 
                return getattr(self, '_m_is_alignment', None)


        class ScalarBool(KaitaiStruct):
            """A truth value in one byte; 0 and 1 by the specification, any byte but 0 counts as true in practice."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarBool, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_bool")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_u1()

            def _read_be(self):
                self.value = self._io.read_u1()


            def _fetch_instances(self):
                pass


        class ScalarFloat32(KaitaiStruct):
            """An IEEE 754 single."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarFloat32, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_float32")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_f4le()

            def _read_be(self):
                self.value = self._io.read_f4be()


            def _fetch_instances(self):
                pass


        class ScalarFloat64(KaitaiStruct):
            """An IEEE 754 double."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarFloat64, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_float64")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_f8le()

            def _read_be(self):
                self.value = self._io.read_f8be()


            def _fetch_instances(self):
                pass


        class ScalarInt16(KaitaiStruct):
            """A signed 16-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarInt16, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_int16")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_s2le()

            def _read_be(self):
                self.value = self._io.read_s2be()


            def _fetch_instances(self):
                pass


        class ScalarInt32(KaitaiStruct):
            """A signed 32-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarInt32, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_int32")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_s4le()

            def _read_be(self):
                self.value = self._io.read_s4be()


            def _fetch_instances(self):
                pass


        class ScalarInt64(KaitaiStruct):
            """A signed 64-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarInt64, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_int64")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_s8le()

            def _read_be(self):
                self.value = self._io.read_s8be()


            def _fetch_instances(self):
                pass


        class ScalarInt8(KaitaiStruct):
            """A signed 8-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarInt8, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_int8")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_s1()

            def _read_be(self):
                self.value = self._io.read_s1()


            def _fetch_instances(self):
                pass


        class ScalarUint16(KaitaiStruct):
            """An unsigned 16-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarUint16, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_uint16")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_u2le()

            def _read_be(self):
                self.value = self._io.read_u2be()


            def _fetch_instances(self):
                pass


        class ScalarUint32(KaitaiStruct):
            """An unsigned 32-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarUint32, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_uint32")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_u4le()

            def _read_be(self):
                self.value = self._io.read_u4be()


            def _fetch_instances(self):
                pass


        class ScalarUint64(KaitaiStruct):
            """An unsigned 64-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarUint64, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_uint64")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_u8le()

            def _read_be(self):
                self.value = self._io.read_u8be()


            def _fetch_instances(self):
                pass


        class ScalarUint8(KaitaiStruct):
            """An unsigned 8-bit integer."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.ScalarUint8, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/scalar_uint8")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.value = self._io.read_u1()

            def _read_be(self):
                self.value = self._io.read_u1()


            def _fetch_instances(self):
                pass


        class Size(KaitaiStruct):
            """A count or a length; 32 bits in version 1, 64 bits since version 2."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.Size, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/size")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                _on = self._root.version
                if _on == 1:
                    pass
                    self.value = self._io.read_u4le()
                else:
                    pass
                    self.value = self._io.read_u8le()

            def _read_be(self):
                _on = self._root.version
                if _on == 1:
                    pass
                    self.value = self._io.read_u4be()
                else:
                    pass
                    self.value = self._io.read_u8be()


            def _fetch_instances(self):
                pass
                _on = self._root.version
                if _on == 1:
                    pass
                else:
                    pass


        class String(KaitaiStruct):
            """Bytes with their length in front and no terminator. UTF-8 by the specification, which no reader checks."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.String, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/string")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.len_value = Gguf.Body.Size(self._io, self, self._root, self._is_le)
                self.value = self._io.read_bytes(self.len_value.value)

            def _read_be(self):
                self.len_value = Gguf.Body.Size(self._io, self, self._root, self._is_le)
                self.value = self._io.read_bytes(self.len_value.value)


            def _fetch_instances(self):
                pass
                self.len_value._fetch_instances()


        class TensorInfo(KaitaiStruct):
            """Where a tensor lies and what is in it."""
            def __init__(self, _io, _parent=None, _root=None, _is_le=None):
                super(Gguf.Body.TensorInfo, self).__init__(_io)
                self._parent = _parent
                self._root = _root
                self._is_le = _is_le
                self._read()

            def _read(self):
                if not hasattr(self, '_is_le'):
                    raise kaitaistruct.UndecidedEndiannessError("/types/body/types/tensor_info")
                elif self._is_le == True:
                    self._read_le()
                elif self._is_le == False:
                    self._read_be()

            def _read_le(self):
                self.name = Gguf.Body.String(self._io, self, self._root, self._is_le)
                self.num_dims = self._io.read_u4le()
                self.dims = []
                for i in range(self.num_dims):
                    self.dims.append(Gguf.Body.Dimension((self.dims[i - 1].num_elements if i > 0 else 1), self._io, self, self._root, self._is_le))

                self.ggml_type = KaitaiStream.resolve_enum(ggml.Ggml.GgmlType, self._io.read_u4le())
                self.ofs_data = self._io.read_u8le()

            def _read_be(self):
                self.name = Gguf.Body.String(self._io, self, self._root, self._is_le)
                self.num_dims = self._io.read_u4be()
                self.dims = []
                for i in range(self.num_dims):
                    self.dims.append(Gguf.Body.Dimension((self.dims[i - 1].num_elements if i > 0 else 1), self._io, self, self._root, self._is_le))

                self.ggml_type = KaitaiStream.resolve_enum(ggml.Ggml.GgmlType, self._io.read_u4be())
                self.ofs_data = self._io.read_u8be()


            def _fetch_instances(self):
                pass
                self.name._fetch_instances()
                for i in range(len(self.dims)):
                    pass
                    self.dims[i]._fetch_instances()

                _ = self.data
                if hasattr(self, '_m_data'):
                    pass
                    self._m_data._fetch_instances()


            @property
            def data(self):
                """The tensor data, block by block."""
                if hasattr(self, '_m_data'):
                    return self._m_data

                _pos = self._io.pos()
                self._io.seek(self._root.body.ofs_data + self.ofs_data)
                if self._is_le:
                    self._m_data = ggml.Ggml(self.ggml_type, self.num_elements, self._root.is_be, self._io)
                else:
                    self._m_data = ggml.Ggml(self.ggml_type, self.num_elements, self._root.is_be, self._io)
                self._io.seek(_pos)
                return getattr(self, '_m_data', None)

            @property
            def num_elements(self):
                """Number of elements of the tensor; a scalar has one."""
                if hasattr(self, '_m_num_elements'):
                    return self._m_num_elements

                self._m_num_elements = (self.dims[self.num_dims - 1].num_elements if self.num_dims > 0 else 1)
                return getattr(self, '_m_num_elements', None)


        @property
        def alignment(self):
            """The data section and every tensor in it start at a multiple of this."""
            if hasattr(self, '_m_alignment'):
                return self._m_alignment

            self._m_alignment = (self.metadata[self.num_metadata.value - 1].alignment if self.num_metadata.value > 0 else self.default_alignment)
            return getattr(self, '_m_alignment', None)

        @property
        def data_section(self):
            """The tensor data as opaque bytes, to the end of the file."""
            if hasattr(self, '_m_data_section'):
                return self._m_data_section

            if self.ofs_data <= self._io.size():
                pass
                _pos = self._io.pos()
                self._io.seek(self.ofs_data)
                if self._is_le:
                    self._m_data_section = self._io.read_bytes_full()
                else:
                    self._m_data_section = self._io.read_bytes_full()
                self._io.seek(_pos)

            return getattr(self, '_m_data_section', None)

        @property
        def default_alignment(self):
            """Alignment of a file without the key general.alignment."""
            if hasattr(self, '_m_default_alignment'):
                return self._m_default_alignment

            self._m_default_alignment = 32
            return getattr(self, '_m_default_alignment', None)

        @property
        def ofs_data(self):
            """Absolute position of the data section, which tensor offsets count from."""
            if hasattr(self, '_m_ofs_data'):
                return self._m_ofs_data

            self._m_ofs_data = (((self.ofs_header_end + self.alignment) - 1) // self.alignment) * self.alignment
            return getattr(self, '_m_ofs_data', None)

        @property
        def ofs_header_end(self):
            """Absolute position of the first byte after the tensor infos."""
            if hasattr(self, '_m_ofs_header_end'):
                return self._m_ofs_header_end

            self._m_ofs_header_end = self._io.pos()
            return getattr(self, '_m_ofs_header_end', None)

        @property
        def padding(self):
            """Filler between the header and the data section; written as zeros, never read."""
            if hasattr(self, '_m_padding'):
                return self._m_padding

            if self.ofs_data <= self._io.size():
                pass
                _pos = self._io.pos()
                self._io.seek(self.ofs_header_end)
                if self._is_le:
                    self._m_padding = self._io.read_bytes(self.ofs_data - self.ofs_header_end)
                else:
                    self._m_padding = self._io.read_bytes(self.ofs_data - self.ofs_header_end)
                self._io.seek(_pos)

            return getattr(self, '_m_padding', None)


    @property
    def is_be(self):
        """True in a big-endian file; a small version has its low half zero when read the wrong way round."""
        if hasattr(self, '_m_is_be'):
            return self._m_is_be

        self._m_is_be = self.version_le & 65535 == 0
        return getattr(self, '_m_is_be', None)

    @property
    def version(self):
        """The version in the byte order of the file."""
        if hasattr(self, '_m_version'):
            return self._m_version

        self._m_version = (self.version_be if self.is_be else self.version_le)
        return getattr(self, '_m_version', None)

    @property
    def version_be(self):
        """The version as a big-endian reader sees it."""
        if hasattr(self, '_m_version_be'):
            return self._m_version_be

        _pos = self._io.pos()
        self._io.seek(4)
        self._m_version_be = self._io.read_u4be()
        self._io.seek(_pos)
        return getattr(self, '_m_version_be', None)

    @property
    def version_le(self):
        """The version as a little-endian reader sees it."""
        if hasattr(self, '_m_version_le'):
            return self._m_version_le

        _pos = self._io.pos()
        self._io.seek(4)
        self._m_version_le = self._io.read_u4le()
        self._io.seek(_pos)
        return getattr(self, '_m_version_le', None)
