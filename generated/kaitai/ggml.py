# This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild
# type: ignore

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Ggml(KaitaiStruct):
    """The data of one ggml tensor: a run of equal blocks, each holding a fixed number of elements.
    
    A plain type (F32, I8, ...) has blocks of one element. A quantised type packs 32 to 256
    elements with their scales. A row (the innermost dimension) is a whole number of blocks.
    Multi-byte fields follow the byte order of the file, which the caller passes as `is_be`.
    
    Kaitai has no half floats. A field that holds one is read as an unsigned integer of the same
    width, and `-type` names what its bits mean: f2 (IEEE half), bf2 (bfloat16), e8m0 (a power of
    two, exponent bias 127), ue4m3 (unsigned, 4 exponent bits with bias 7, 3 mantissa bits, bit 7
    ignored). `-elements` and `-bytes` state the size of a block, `-orig-id` the C name.
    
    Words in the docs: `y` is the output of one block in storage order. "Nibble order" means the
    low nibbles of all bytes, then the high nibbles. "Planes of b bits over w bytes" means: cut
    the bytes into runs of w, and for each run list bits 0 to b-1 of every byte, then bits b to
    2b-1 of every byte, and so on. Scales are combined first, then multiplied by the integer, and
    the minimum is subtracted last; all of it in single precision.
    
    .. seealso::
       Source - https://github.com/ggml-org/ggml/blob/d99724f2/src/ggml-common.h
    
    
    .. seealso::
       Source - https://github.com/ggml-org/ggml/blob/d99724f2/src/ggml-quants.c
    
    
    .. seealso::
       Source - https://github.com/ggml-org/ggml/blob/d99724f2/include/ggml.h
    """

    class GgmlType(IntEnum):
        f32 = 0
        f16 = 1
        q4_0 = 2
        q4_1 = 3
        q4_2 = 4
        q4_3 = 5
        q5_0 = 6
        q5_1 = 7
        q8_0 = 8
        q8_1 = 9
        q2_k = 10
        q3_k = 11
        q4_k = 12
        q5_k = 13
        q6_k = 14
        q8_k = 15
        iq2_xxs = 16
        iq2_xs = 17
        iq3_xxs = 18
        iq1_s = 19
        iq4_nl = 20
        iq3_s = 21
        iq2_s = 22
        iq4_xs = 23
        i8 = 24
        i16 = 25
        i32 = 26
        i64 = 27
        f64 = 28
        iq1_m = 29
        bf16 = 30
        q4_0_4_4 = 31
        q4_0_4_8 = 32
        q4_0_8_8 = 33
        tq1_0 = 34
        tq2_0 = 35
        iq4_nl_4_4 = 36
        iq4_nl_4_8 = 37
        iq4_nl_8_8 = 38
        mxfp4 = 39
        nvfp4 = 40
        q1_0 = 41
        q2_0 = 42
    def __init__(self, ggml_type, num_elements, is_be, _io, _parent=None, _root=None):
        super(Ggml, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.ggml_type = ggml_type
        self.num_elements = num_elements
        self.is_be = is_be
        self._read()

    def _read(self):
        _on = self.is_be
        if _on == True:
            pass
            self._is_le = False
        elif _on == False:
            pass
            self._is_le = True
        if not hasattr(self, '_is_le'):
            raise kaitaistruct.UndecidedEndiannessError("/")
        elif self._is_le == True:
            self._read_le()
        elif self._is_le == False:
            self._read_be()

    def _read_le(self):
        if self.num_elements_per_block > 0:
            pass
            self.blocks = []
            for i in range(self.num_elements // self.num_elements_per_block):
                _on = self.ggml_type
                if _on == Ggml.GgmlType.bf16:
                    pass
                    self.blocks.append(Ggml.BlockBf16(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.f16:
                    pass
                    self.blocks.append(Ggml.BlockF16(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.f32:
                    pass
                    self.blocks.append(Ggml.BlockF32(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.f64:
                    pass
                    self.blocks.append(Ggml.BlockF64(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i16:
                    pass
                    self.blocks.append(Ggml.BlockI16(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i32:
                    pass
                    self.blocks.append(Ggml.BlockI32(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i64:
                    pass
                    self.blocks.append(Ggml.BlockI64(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i8:
                    pass
                    self.blocks.append(Ggml.BlockI8(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq1_m:
                    pass
                    self.blocks.append(Ggml.BlockIq1M(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq1_s:
                    pass
                    self.blocks.append(Ggml.BlockIq1S(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq2_s:
                    pass
                    self.blocks.append(Ggml.BlockIq2S(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq2_xs:
                    pass
                    self.blocks.append(Ggml.BlockIq2Xs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq2_xxs:
                    pass
                    self.blocks.append(Ggml.BlockIq2Xxs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq3_s:
                    pass
                    self.blocks.append(Ggml.BlockIq3S(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq3_xxs:
                    pass
                    self.blocks.append(Ggml.BlockIq3Xxs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq4_nl:
                    pass
                    self.blocks.append(Ggml.BlockIq4Nl(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq4_xs:
                    pass
                    self.blocks.append(Ggml.BlockIq4Xs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.mxfp4:
                    pass
                    self.blocks.append(Ggml.BlockMxfp4(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.nvfp4:
                    pass
                    self.blocks.append(Ggml.BlockNvfp4(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q1_0:
                    pass
                    self.blocks.append(Ggml.BlockQ10(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q2_0:
                    pass
                    self.blocks.append(Ggml.BlockQ20(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q2_k:
                    pass
                    self.blocks.append(Ggml.BlockQ2K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q3_k:
                    pass
                    self.blocks.append(Ggml.BlockQ3K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q4_0:
                    pass
                    self.blocks.append(Ggml.BlockQ40(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q4_1:
                    pass
                    self.blocks.append(Ggml.BlockQ41(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q4_k:
                    pass
                    self.blocks.append(Ggml.BlockQ4K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q5_0:
                    pass
                    self.blocks.append(Ggml.BlockQ50(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q5_1:
                    pass
                    self.blocks.append(Ggml.BlockQ51(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q5_k:
                    pass
                    self.blocks.append(Ggml.BlockQ5K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q6_k:
                    pass
                    self.blocks.append(Ggml.BlockQ6K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q8_0:
                    pass
                    self.blocks.append(Ggml.BlockQ80(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q8_1:
                    pass
                    self.blocks.append(Ggml.BlockQ81(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q8_k:
                    pass
                    self.blocks.append(Ggml.BlockQ8K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.tq1_0:
                    pass
                    self.blocks.append(Ggml.BlockTq10(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.tq2_0:
                    pass
                    self.blocks.append(Ggml.BlockTq20(self._io, self, self._root, self._is_le))



    def _read_be(self):
        if self.num_elements_per_block > 0:
            pass
            self.blocks = []
            for i in range(self.num_elements // self.num_elements_per_block):
                _on = self.ggml_type
                if _on == Ggml.GgmlType.bf16:
                    pass
                    self.blocks.append(Ggml.BlockBf16(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.f16:
                    pass
                    self.blocks.append(Ggml.BlockF16(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.f32:
                    pass
                    self.blocks.append(Ggml.BlockF32(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.f64:
                    pass
                    self.blocks.append(Ggml.BlockF64(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i16:
                    pass
                    self.blocks.append(Ggml.BlockI16(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i32:
                    pass
                    self.blocks.append(Ggml.BlockI32(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i64:
                    pass
                    self.blocks.append(Ggml.BlockI64(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.i8:
                    pass
                    self.blocks.append(Ggml.BlockI8(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq1_m:
                    pass
                    self.blocks.append(Ggml.BlockIq1M(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq1_s:
                    pass
                    self.blocks.append(Ggml.BlockIq1S(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq2_s:
                    pass
                    self.blocks.append(Ggml.BlockIq2S(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq2_xs:
                    pass
                    self.blocks.append(Ggml.BlockIq2Xs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq2_xxs:
                    pass
                    self.blocks.append(Ggml.BlockIq2Xxs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq3_s:
                    pass
                    self.blocks.append(Ggml.BlockIq3S(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq3_xxs:
                    pass
                    self.blocks.append(Ggml.BlockIq3Xxs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq4_nl:
                    pass
                    self.blocks.append(Ggml.BlockIq4Nl(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.iq4_xs:
                    pass
                    self.blocks.append(Ggml.BlockIq4Xs(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.mxfp4:
                    pass
                    self.blocks.append(Ggml.BlockMxfp4(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.nvfp4:
                    pass
                    self.blocks.append(Ggml.BlockNvfp4(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q1_0:
                    pass
                    self.blocks.append(Ggml.BlockQ10(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q2_0:
                    pass
                    self.blocks.append(Ggml.BlockQ20(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q2_k:
                    pass
                    self.blocks.append(Ggml.BlockQ2K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q3_k:
                    pass
                    self.blocks.append(Ggml.BlockQ3K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q4_0:
                    pass
                    self.blocks.append(Ggml.BlockQ40(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q4_1:
                    pass
                    self.blocks.append(Ggml.BlockQ41(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q4_k:
                    pass
                    self.blocks.append(Ggml.BlockQ4K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q5_0:
                    pass
                    self.blocks.append(Ggml.BlockQ50(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q5_1:
                    pass
                    self.blocks.append(Ggml.BlockQ51(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q5_k:
                    pass
                    self.blocks.append(Ggml.BlockQ5K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q6_k:
                    pass
                    self.blocks.append(Ggml.BlockQ6K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q8_0:
                    pass
                    self.blocks.append(Ggml.BlockQ80(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q8_1:
                    pass
                    self.blocks.append(Ggml.BlockQ81(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.q8_k:
                    pass
                    self.blocks.append(Ggml.BlockQ8K(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.tq1_0:
                    pass
                    self.blocks.append(Ggml.BlockTq10(self._io, self, self._root, self._is_le))
                elif _on == Ggml.GgmlType.tq2_0:
                    pass
                    self.blocks.append(Ggml.BlockTq20(self._io, self, self._root, self._is_le))




    def _fetch_instances(self):
        pass
        if self.num_elements_per_block > 0:
            pass
            for i in range(len(self.blocks)):
                pass
                _on = self.ggml_type
                if _on == Ggml.GgmlType.bf16:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.f16:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.f32:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.f64:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.i16:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.i32:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.i64:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.i8:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq1_m:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq1_s:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq2_s:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq2_xs:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq2_xxs:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq3_s:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq3_xxs:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq4_nl:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.iq4_xs:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.mxfp4:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.nvfp4:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q1_0:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q2_0:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q2_k:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q3_k:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q4_0:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q4_1:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q4_k:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q5_0:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q5_1:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q5_k:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q6_k:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q8_0:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q8_1:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.q8_k:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.tq1_0:
                    pass
                    self.blocks[i]._fetch_instances()
                elif _on == Ggml.GgmlType.tq2_0:
                    pass
                    self.blocks[i]._fetch_instances()



    class BlockBf16(KaitaiStruct):
        """One bfloat16, the upper half of a single-precision float."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockBf16, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_bf16")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_u2le()

        def _read_be(self):
            self.v = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class BlockF16(KaitaiStruct):
        """One half-precision float."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockF16, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_f16")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_u2le()

        def _read_be(self):
            self.v = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class BlockF32(KaitaiStruct):
        """One single-precision float."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockF32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_f32")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_f4le()

        def _read_be(self):
            self.v = self._io.read_f4be()


        def _fetch_instances(self):
            pass


    class BlockF64(KaitaiStruct):
        """One double-precision float."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockF64, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_f64")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_f8le()

        def _read_be(self):
            self.v = self._io.read_f8be()


        def _fetch_instances(self):
            pass


    class BlockI16(KaitaiStruct):
        """One signed 16-bit integer."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockI16, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_i16")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_s2le()

        def _read_be(self):
            self.v = self._io.read_s2be()


        def _fetch_instances(self):
            pass


    class BlockI32(KaitaiStruct):
        """One signed 32-bit integer."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockI32, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_i32")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_s4le()

        def _read_be(self):
            self.v = self._io.read_s4be()


        def _fetch_instances(self):
            pass


    class BlockI64(KaitaiStruct):
        """One signed 64-bit integer."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockI64, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_i64")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_s8le()

        def _read_be(self):
            self.v = self._io.read_s8be()


        def _fetch_instances(self):
            pass


    class BlockI8(KaitaiStruct):
        """One signed 8-bit integer."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockI8, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_i8")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.v = self._io.read_s1()

        def _read_be(self):
            self.v = self._io.read_s1()


        def _fetch_instances(self):
            pass


    class BlockIq1M(KaitaiStruct):
        """256 elements in groups of 8, each an entry of the codebook of block_iq1_s. y = d * (2s + 1)
        * (entry + delta). Nibble i of qh (low first) gives the high 3 bits of entry number i and,
        in its top bit, the sign of delta. There is no field d; its bits are the top nibbles of
        the four scale words, word 0 the lowest.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq1M, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq1_m")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.qs = self._io.read_bytes(32)
            self.qh = self._io.read_bytes(16)
            self.scales = []
            for i in range(4):
                self.scales.append(self._io.read_u2le())


        def _read_be(self):
            self.qs = self._io.read_bytes(32)
            self.qh = self._io.read_bytes(16)
            self.scales = []
            for i in range(4):
                self.scales.append(self._io.read_u2be())



        def _fetch_instances(self):
            pass
            for i in range(len(self.scales)):
                pass



    class BlockIq1S(KaitaiStruct):
        """256 elements in groups of 8, each a codebook entry of -1, 0 and 1. y = d * (2s + 1) *
        (entry + delta). The 11-bit entry number of group 4k + l is qs[4k + l] plus 256 times bits
        3l to 3l + 2 of qh[k]; delta is 0.125, or -0.125 where bit 15 of qh[k] is set.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq1S, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq1_s")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(32)
            self.qh = []
            for i in range(8):
                self.qh.append(self._io.read_u2le())


        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(32)
            self.qh = []
            for i in range(8):
                self.qh.append(self._io.read_u2be())



        def _fetch_instances(self):
            pass
            for i in range(len(self.qh)):
                pass



    class BlockIq2S(KaitaiStruct):
        """256 elements in groups of 8, each a codebook entry (1024 entries of 8, 25, 43) with a byte
        of signs, and a 4-bit scale s per 16 elements. y = d * (0.5 + s) * 0.25 * entry. The entry
        number of group i is qs[i] plus 256 times bits 2 * (i % 4) and up of qh[i / 4].
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq2S, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq2_s")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(32)
            self.signs = self._io.read_bytes(32)
            self.qh = self._io.read_bytes(8)
            self.scales = self._io.read_bytes(8)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(32)
            self.signs = self._io.read_bytes(32)
            self.qh = self._io.read_bytes(8)
            self.scales = self._io.read_bytes(8)


        def _fetch_instances(self):
            pass


    class BlockIq2Xs(KaitaiStruct):
        """256 elements in groups of 8, each a codebook entry (512 entries of 8, 25, 43) with signs,
        and a 4-bit scale s per 16 elements. y = d * (0.5 + s) * 0.25 * entry.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq2Xs, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq2_xs")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = []
            for i in range(32):
                self.qs.append(self._io.read_u2le())

            self.scales = self._io.read_bytes(8)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = []
            for i in range(32):
                self.qs.append(self._io.read_u2be())

            self.scales = self._io.read_bytes(8)


        def _fetch_instances(self):
            pass
            for i in range(len(self.qs)):
                pass



    class BlockIq2Xxs(KaitaiStruct):
        """256 elements in groups of 8, each a codebook entry (256 entries of 8, 25, 43) with signs,
        and a 4-bit scale s per 32 elements. y = d * (0.5 + s) * 0.25 * entry.
        A 7-bit sign index gives the signs of elements 0 to 6; element 7 makes their number even.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq2Xxs, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq2_xxs")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = []
            for i in range(16):
                self.qs.append(self._io.read_u4le())


        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = []
            for i in range(16):
                self.qs.append(self._io.read_u4be())



        def _fetch_instances(self):
            pass
            for i in range(len(self.qs)):
                pass



    class BlockIq3S(KaitaiStruct):
        """256 elements in groups of 4, each a codebook entry (512 entries, odd numbers 1 to 15) with
        signs, and a 4-bit scale s per 32 elements. y = d * (1 + 2s) * entry. The entry number of
        group i is qs[i] plus 256 times bit i % 8 of qh[i / 8].
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq3S, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq3_s")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(64)
            self.qh = self._io.read_bytes(8)
            self.signs = self._io.read_bytes(32)
            self.scales = self._io.read_bytes(4)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(64)
            self.qh = self._io.read_bytes(8)
            self.signs = self._io.read_bytes(32)
            self.scales = self._io.read_bytes(4)


        def _fetch_instances(self):
            pass


    class BlockIq3Xxs(KaitaiStruct):
        """256 elements in groups of 4, each a codebook entry (256 entries of 4 to 62) with signs,
        and a 4-bit scale s per 32 elements. y = d * (0.5 + s) * 0.5 * entry.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq3Xxs, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq3_xxs")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(64)
            self.sas = []
            for i in range(8):
                self.sas.append(self._io.read_u4le())


        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(64)
            self.sas = []
            for i in range(8):
                self.sas.append(self._io.read_u4be())



        def _fetch_instances(self):
            pass
            for i in range(len(self.sas)):
                pass



    class BlockIq4Nl(KaitaiStruct):
        """32 elements of 4 bits that index a table of 16 unevenly spaced integers (-127 to 113).
        y = d * table[q], q in nibble order.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq4Nl, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq4_nl")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockIq4Xs(KaitaiStruct):
        """256 elements of 4 bits that index the table of block_iq4_nl, in 8 sub-blocks with 6-bit
        scales. y[j] = d * (scale[j / 32] - 32) * table[q[j]]; sub-block k uses qs[16k..16k+15] in
        nibble order.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockIq4Xs, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_iq4_xs")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.scales_h = self._io.read_u2le()
            self.scales_l = self._io.read_bytes(4)
            self.qs = self._io.read_bytes(128)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.scales_h = self._io.read_u2be()
            self.scales_l = self._io.read_bytes(4)
            self.qs = self._io.read_bytes(128)


        def _fetch_instances(self):
            pass


    class BlockMxfp4(KaitaiStruct):
        """32 floats of 4 bits (E2M1) with a power of two as scale, OCP microscaling MXFP4.
        y = 2**(e - 127) * value, in nibble order; the values are 0 0.5 1 1.5 2 3 4 6 and the same
        negated (code 8 is 0, without a sign). ggml decodes e = 255 as a number, OCP as NaN.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockMxfp4, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_mxfp4")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.e = self._io.read_u1()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.e = self._io.read_u1()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockNvfp4(KaitaiStruct):
        """64 floats of 4 bits (E2M1) in four sub-blocks of 16 with an 8-bit float scale each.
        y = d[k] * value; the values are those of block_mxfp4. Sub-block k uses qs[8k..8k+7] in
        nibble order. A scale for the whole tensor, if any, is a tensor of its own.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockNvfp4, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_nvfp4")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = []
            for i in range(4):
                self.d.append(self._io.read_u1())

            self.qs = self._io.read_bytes(32)

        def _read_be(self):
            self.d = []
            for i in range(4):
                self.d.append(self._io.read_u1())

            self.qs = self._io.read_bytes(32)


        def _fetch_instances(self):
            pass
            for i in range(len(self.d)):
                pass



    class BlockQ10(KaitaiStruct):
        """128 signs with one scale. y = +d where the bit is set, -d where it is not; element j is
        bit j % 8, from the low end, of byte j / 8.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ10, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q1_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockQ20(KaitaiStruct):
        """64 elements of 2 bits with one scale. y = d * (v - 1) with v from 0 to 3; element j is
        bits 2 * (j % 4) and up of byte j / 4.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ20, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q2_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockQ2K(KaitaiStruct):
        """256 elements of 2 bits in 16 sub-blocks, each with a 4-bit scale and a 4-bit minimum.
        y[j] = d * scale[j / 16] * q[j] - dmin * min[j / 16], q as planes of 2 bits over 32 bytes.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ2K, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q2_k")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.scales = self._io.read_bytes(16)
            self.qs = self._io.read_bytes(64)
            self.d = self._io.read_u2le()
            self.dmin = self._io.read_u2le()

        def _read_be(self):
            self.scales = self._io.read_bytes(16)
            self.qs = self._io.read_bytes(64)
            self.d = self._io.read_u2be()
            self.dmin = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class BlockQ3K(KaitaiStruct):
        """256 elements of 3 bits in 16 sub-blocks with 6-bit scales. y[j] = d * (scale[j / 16] - 32)
        * q[j], where q is the 2-bit value (planes over 32 bytes), minus 4 if its bit in hmask
        (planes of 1 bit over 32 bytes) is clear.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ3K, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q3_k")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.hmask = self._io.read_bytes(32)
            self.qs = self._io.read_bytes(64)
            self.scales = self._io.read_bytes(12)
            self.d = self._io.read_u2le()

        def _read_be(self):
            self.hmask = self._io.read_bytes(32)
            self.qs = self._io.read_bytes(64)
            self.scales = self._io.read_bytes(12)
            self.d = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class BlockQ40(KaitaiStruct):
        """32 elements of 4 bits with one scale. y = d * (q - 8), q in nibble order."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ40, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q4_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockQ41(KaitaiStruct):
        """32 elements of 4 bits with a scale and a minimum. y = d * q + m, q in nibble order."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ41, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q4_1")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.m = self._io.read_u2le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.m = self._io.read_u2be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockQ4K(KaitaiStruct):
        """256 elements of 4 bits in 8 sub-blocks, each with a 6-bit scale and a 6-bit minimum.
        y[j] = d * scale[j / 32] * q[j] - dmin * min[j / 32], q as planes of 4 bits over 32 bytes.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ4K, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q4_k")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.dmin = self._io.read_u2le()
            self.scales = self._io.read_bytes(12)
            self.qs = self._io.read_bytes(128)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.dmin = self._io.read_u2be()
            self.scales = self._io.read_bytes(12)
            self.qs = self._io.read_bytes(128)


        def _fetch_instances(self):
            pass


    class BlockQ50(KaitaiStruct):
        """32 elements of 5 bits with one scale. y = d * (q - 16), where q is the nibble (nibble
        order) plus 16 times bit j of qh.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ50, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q5_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qh = self._io.read_u4le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qh = self._io.read_u4be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockQ51(KaitaiStruct):
        """32 elements of 5 bits with a scale and a minimum. y = d * q + m, where q is the nibble
        (nibble order) plus 16 times bit j of qh.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ51, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q5_1")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.m = self._io.read_u2le()
            self.qh = self._io.read_u4le()
            self.qs = self._io.read_bytes(16)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.m = self._io.read_u2be()
            self.qh = self._io.read_u4be()
            self.qs = self._io.read_bytes(16)


        def _fetch_instances(self):
            pass


    class BlockQ5K(KaitaiStruct):
        """256 elements of 5 bits in 8 sub-blocks with 6-bit scales and minimums.
        y[j] = d * scale[j / 32] * q[j] - dmin * min[j / 32], where q is the nibble (planes over
        32 bytes) plus 16 times its bit in qh (planes of 1 bit over 32 bytes).
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ5K, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q5_k")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.dmin = self._io.read_u2le()
            self.scales = self._io.read_bytes(12)
            self.qh = self._io.read_bytes(32)
            self.qs = self._io.read_bytes(128)

        def _read_be(self):
            self.d = self._io.read_u2be()
            self.dmin = self._io.read_u2be()
            self.scales = self._io.read_bytes(12)
            self.qh = self._io.read_bytes(32)
            self.qs = self._io.read_bytes(128)


        def _fetch_instances(self):
            pass


    class BlockQ6K(KaitaiStruct):
        """256 elements of 6 bits in 16 sub-blocks with 8-bit scales. y[j] = d * scale[j / 16] *
        (q[j] - 32), where q is the nibble (planes over 64 bytes) plus 16 times the 2-bit value of
        qh (planes over 32 bytes).
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ6K, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q6_k")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.ql = self._io.read_bytes(128)
            self.qh = self._io.read_bytes(64)
            self.scales = []
            for i in range(16):
                self.scales.append(self._io.read_s1())

            self.d = self._io.read_u2le()

        def _read_be(self):
            self.ql = self._io.read_bytes(128)
            self.qh = self._io.read_bytes(64)
            self.scales = []
            for i in range(16):
                self.scales.append(self._io.read_s1())

            self.d = self._io.read_u2be()


        def _fetch_instances(self):
            pass
            for i in range(len(self.scales)):
                pass



    class BlockQ80(KaitaiStruct):
        """32 signed bytes with one scale. y = d * q."""
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ80, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q8_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.qs = []
            for i in range(32):
                self.qs.append(self._io.read_s1())


        def _read_be(self):
            self.d = self._io.read_u2be()
            self.qs = []
            for i in range(32):
                self.qs.append(self._io.read_s1())



        def _fetch_instances(self):
            pass
            for i in range(len(self.qs)):
                pass



    class BlockQ81(KaitaiStruct):
        """32 signed bytes with one scale and a helper sum. y = d * q. Made for activations during
        dot products, not expected in files. Before 2024 it had two single floats (40 bytes).
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ81, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q8_1")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_u2le()
            self.s = self._io.read_u2le()
            self.qs = []
            for i in range(32):
                self.qs.append(self._io.read_s1())


        def _read_be(self):
            self.d = self._io.read_u2be()
            self.s = self._io.read_u2be()
            self.qs = []
            for i in range(32):
                self.qs.append(self._io.read_s1())



        def _fetch_instances(self):
            pass
            for i in range(len(self.qs)):
                pass



    class BlockQ8K(KaitaiStruct):
        """256 signed bytes with one single-precision scale. y = d * q. Made for activations during
        dot products, not expected in files.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockQ8K, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_q8_k")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.d = self._io.read_f4le()
            self.qs = []
            for i in range(256):
                self.qs.append(self._io.read_s1())

            self.bsums = []
            for i in range(16):
                self.bsums.append(self._io.read_s2le())


        def _read_be(self):
            self.d = self._io.read_f4be()
            self.qs = []
            for i in range(256):
                self.qs.append(self._io.read_s1())

            self.bsums = []
            for i in range(16):
                self.bsums.append(self._io.read_s2be())



        def _fetch_instances(self):
            pass
            for i in range(len(self.qs)):
                pass

            for i in range(len(self.bsums)):
                pass



    class BlockTq10(KaitaiStruct):
        """256 ternary elements, five to a byte as base-3 digits in fixed point. Digit i of byte b is
        (3 * (b * 3**i % 256)) >> 8; y = d * (digit - 1). Each group of bytes lists digit 0 of all
        its bytes, then digit 1, and so on. Groups are qs[0..31], qs[32..47], qh.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockTq10, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_tq1_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.qs = self._io.read_bytes(48)
            self.qh = self._io.read_bytes(4)
            self.d = self._io.read_u2le()

        def _read_be(self):
            self.qs = self._io.read_bytes(48)
            self.qh = self._io.read_bytes(4)
            self.d = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    class BlockTq20(KaitaiStruct):
        """256 ternary elements of 2 bits. y = d * (q - 1), q as planes of 2 bits over 32 bytes.
        Writers never store 3; it would decode to 2 * d.
        """
        def __init__(self, _io, _parent=None, _root=None, _is_le=None):
            super(Ggml.BlockTq20, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._is_le = _is_le
            self._read()

        def _read(self):
            if not hasattr(self, '_is_le'):
                raise kaitaistruct.UndecidedEndiannessError("/types/block_tq2_0")
            elif self._is_le == True:
                self._read_le()
            elif self._is_le == False:
                self._read_be()

        def _read_le(self):
            self.qs = self._io.read_bytes(64)
            self.d = self._io.read_u2le()

        def _read_be(self):
            self.qs = self._io.read_bytes(64)
            self.d = self._io.read_u2be()


        def _fetch_instances(self):
            pass


    @property
    def num_elements_per_block(self):
        """Elements that one block of this type holds; 0 for a type without a known layout."""
        if hasattr(self, '_m_num_elements_per_block'):
            return self._m_num_elements_per_block

        self._m_num_elements_per_block = (1 if  ((self.ggml_type == Ggml.GgmlType.f32) or (self.ggml_type == Ggml.GgmlType.f16) or (self.ggml_type == Ggml.GgmlType.i8) or (self.ggml_type == Ggml.GgmlType.i16) or (self.ggml_type == Ggml.GgmlType.i32) or (self.ggml_type == Ggml.GgmlType.i64) or (self.ggml_type == Ggml.GgmlType.f64) or (self.ggml_type == Ggml.GgmlType.bf16))  else (32 if  ((self.ggml_type == Ggml.GgmlType.q4_0) or (self.ggml_type == Ggml.GgmlType.q4_1) or (self.ggml_type == Ggml.GgmlType.q5_0) or (self.ggml_type == Ggml.GgmlType.q5_1) or (self.ggml_type == Ggml.GgmlType.q8_0) or (self.ggml_type == Ggml.GgmlType.q8_1) or (self.ggml_type == Ggml.GgmlType.iq4_nl) or (self.ggml_type == Ggml.GgmlType.mxfp4))  else (64 if  ((self.ggml_type == Ggml.GgmlType.nvfp4) or (self.ggml_type == Ggml.GgmlType.q2_0))  else (128 if self.ggml_type == Ggml.GgmlType.q1_0 else (256 if  ((self.ggml_type == Ggml.GgmlType.q2_k) or (self.ggml_type == Ggml.GgmlType.q3_k) or (self.ggml_type == Ggml.GgmlType.q4_k) or (self.ggml_type == Ggml.GgmlType.q5_k) or (self.ggml_type == Ggml.GgmlType.q6_k) or (self.ggml_type == Ggml.GgmlType.q8_k) or (self.ggml_type == Ggml.GgmlType.iq2_xxs) or (self.ggml_type == Ggml.GgmlType.iq2_xs) or (self.ggml_type == Ggml.GgmlType.iq3_xxs) or (self.ggml_type == Ggml.GgmlType.iq1_s) or (self.ggml_type == Ggml.GgmlType.iq3_s) or (self.ggml_type == Ggml.GgmlType.iq2_s) or (self.ggml_type == Ggml.GgmlType.iq4_xs) or (self.ggml_type == Ggml.GgmlType.iq1_m) or (self.ggml_type == Ggml.GgmlType.tq1_0) or (self.ggml_type == Ggml.GgmlType.tq2_0))  else 0)))))
        return getattr(self, '_m_num_elements_per_block', None)
