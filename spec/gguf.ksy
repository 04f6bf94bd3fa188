meta:
  id: gguf
  title: GGUF model file
  file-extension: gguf
  license: CC0-1.0
  ks-version: "0.11"
  encoding: UTF-8
  endian: le
  imports:
    - ggml
doc: |
  GGUF is the file format in which llama.cpp, Ollama, LM Studio and other users of the ggml
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
doc-ref: https://github.com/ggml-org/ggml/blob/d99724f2/docs/gguf.md
-facts:
  written_version:
    value: 3
    doc: version of new files, the one that the specification asks for
  oldest_written_version:
    value: 2
    doc: the oldest version that a file is converted to; llama.cpp no longer loads version 1
  big_endian_version:
    value: 3
    doc: the first version with big-endian files
  canonical_version:
    value: 3
    doc: version in which parts of a file are encoded to be hashed or exported; a new one would change every hash
  canonical_order:
    value: le
    doc: byte order in which parts of a file are encoded to be hashed or exported
-limits:
  max_metadata:
    value: 65536
    doc: metadata pairs in a file; real models have fewer than 200
  max_tensors:
    value: 262144
    doc: tensors in a file; the largest unstacked mixture-of-experts models have some 50,000
  max_string_nbytes:
    value: 1073741824
    doc: bytes in a string, the limit of ggml's own loader
  max_array_elements:
    value: 1073741824
    doc: elements in an array, the limit of ggml's own loader
  max_array_depth:
    value: 8
    doc: arrays inside arrays; ggml's own loader refuses any nesting
  max_dims:
    value: 64
    doc: dimensions of a tensor; ggml itself stops at 4
  max_header_nbytes:
    value: 268435456
    doc: bytes from the start of the file to the end of the tensor infos; a vocabulary of 1M tokens with merges needs about 60 MB
seq:
  - id: magic
    contents: GGUF
    -orig-id: GGUF_MAGIC
    doc: The four bytes "GGUF", the same in both byte orders.
  - id: body
    type: body
    doc: Everything else, in the byte order of the file.
instances:
  version_le:
    pos: 4
    type: u4le
    doc: The version as a little-endian reader sees it.
  version_be:
    pos: 4
    type: u4be
    doc: The version as a big-endian reader sees it.
  is_be:
    value: (version_le & 0xffff) == 0
    doc: True in a big-endian file; a small version has its low half zero when read the wrong way round.
  version:
    value: 'is_be ? version_be : version_le'
    doc: The version in the byte order of the file.
types:
  body:
    meta:
      endian:
        switch-on: _root.is_be
        cases:
          true: be
          false: le
    doc: The whole file after the magic. All types that depend on the byte order are nested here.
    seq:
      - id: version
        type: u4
        valid:
          any-of: [1, 2, 3]
        -orig-id: GGUF_VERSION
        doc: Version of the format. 1 has 32-bit counts, 3 allows big-endian files.
      - id: num_tensors
        type: size
        -orig-id: tensor_count
        -limit: max_tensors
        doc: Number of tensor infos.
      - id: num_metadata
        type: size
        -orig-id: metadata_kv_count
        -limit: max_metadata
        doc: Number of metadata pairs.
      - id: metadata
        type: 'metadata_kv(_index > 0 ? metadata[_index - 1].alignment : default_alignment)'
        repeat: expr
        repeat-expr: num_metadata.value
        -orig-id: metadata_kv
        doc: The metadata pairs, in file order. Keys are unique in a sound file.
      - id: tensor_infos
        type: tensor_info
        repeat: expr
        repeat-expr: num_tensors.value
        doc: One entry per tensor, in file order.
      - id: header_end
        size: 0
        if: ofs_header_end >= 0
        doc: Takes no bytes; it fixes `ofs_header_end` while the reader is at this place.
    instances:
      default_alignment:
        value: 32
        -orig-id: GGUF_DEFAULT_ALIGNMENT
        doc: Alignment of a file without the key general.alignment.
      ofs_header_end:
        value: _io.pos
        doc: Absolute position of the first byte after the tensor infos.
      alignment:
        value: 'num_metadata.value > 0 ? metadata[num_metadata.value - 1].alignment : default_alignment'
        -orig-id: general.alignment
        doc: The data section and every tensor in it start at a multiple of this.
      ofs_data:
        value: (ofs_header_end + alignment - 1) / alignment * alignment
        doc: Absolute position of the data section, which tensor offsets count from.
      padding:
        pos: ofs_header_end
        size: ofs_data - ofs_header_end
        if: ofs_data <= _io.size
        doc: Filler between the header and the data section; written as zeros, never read.
      data_section:
        pos: ofs_data
        size-eos: true
        if: ofs_data <= _io.size
        -orig-id: tensor_data
        doc: The tensor data as opaque bytes, to the end of the file.
    types:
      size:
        doc: A count or a length; 32 bits in version 1, 64 bits since version 2.
        seq:
          - id: value
            type:
              switch-on: _root.version
              cases:
                1: u4
                _: u8
            doc: The number.
      string:
        -orig-id: gguf_string_t
        doc: Bytes with their length in front and no terminator. UTF-8 by the specification, which no reader checks.
        seq:
          - id: len_value
            type: size
            -orig-id: len
            -limit: max_string_nbytes
            doc: Length of the text in bytes.
          - id: value
            size: len_value.value
            -orig-id: string
            doc: The text; may hold NUL and, in real files, bytes that are not UTF-8.
      metadata_kv:
        -orig-id: gguf_metadata_kv_t
        -label: key
        doc: A metadata pair. Kaitai cannot look a key up in a list, so each pair hands the alignment on to the next.
        params:
          - id: alignment_before
            type: u4
            doc: The alignment in force before this pair.
        seq:
          - id: key
            type: string
            doc: The name, dotted lower snake case such as general.architecture.
          - id: value_type
            type: u4
            enum: value_type
            valid:
              in-enum: true
            doc: What follows.
          - id: value
            type:
              switch-on: value_type
              cases:
                value_type::uint8: scalar_uint8
                value_type::int8: scalar_int8
                value_type::uint16: scalar_uint16
                value_type::int16: scalar_int16
                value_type::uint32: scalar_uint32
                value_type::int32: scalar_int32
                value_type::float32: scalar_float32
                value_type::bool: scalar_bool
                value_type::string: string
                value_type::array: array
                value_type::uint64: scalar_uint64
                value_type::int64: scalar_int64
                value_type::float64: scalar_float64
            doc: The value.
        instances:
          is_alignment:
            value: 'value_type == value_type::uint32 and key.value == [0x67, 0x65, 0x6e, 0x65, 0x72, 0x61, 0x6c, 0x2e, 0x61, 0x6c, 0x69, 0x67, 0x6e, 0x6d, 0x65, 0x6e, 0x74]'
            doc: True for the key general.alignment (spelled in ASCII codes) of the only type that readers accept for it.
          alignment:
            value: 'is_alignment and value.as<scalar_uint32>.value > 0 ? value.as<scalar_uint32>.value : alignment_before'
            doc: The alignment in force after this pair; an alignment of zero cannot be used and is passed over.
      array:
        -orig-id: gguf_metadata_value_t.array
        -limit-depth: max_array_depth
        doc: Elements of one type, back to back without padding. Elements may be arrays themselves.
        seq:
          - id: element_type
            type: u4
            enum: value_type
            valid:
              in-enum: true
            -orig-id: type
            doc: The type of every element.
          - id: num_elements
            type: size
            -orig-id: len
            -limit: max_array_elements
            doc: Number of elements, not bytes; may be zero.
          - id: elements
            type:
              switch-on: element_type
              cases:
                value_type::uint8: scalar_uint8
                value_type::int8: scalar_int8
                value_type::uint16: scalar_uint16
                value_type::int16: scalar_int16
                value_type::uint32: scalar_uint32
                value_type::int32: scalar_int32
                value_type::float32: scalar_float32
                value_type::bool: scalar_bool
                value_type::string: string
                value_type::array: array
                value_type::uint64: scalar_uint64
                value_type::int64: scalar_int64
                value_type::float64: scalar_float64
            repeat: expr
            repeat-expr: num_elements.value
            -orig-id: array
            -lazy: true
            doc: The elements.
      scalar_uint8:
        doc: An unsigned 8-bit integer.
        seq:
          - id: value
            type: u1
            doc: The number.
      scalar_int8:
        doc: A signed 8-bit integer.
        seq:
          - id: value
            type: s1
            doc: The number.
      scalar_uint16:
        doc: An unsigned 16-bit integer.
        seq:
          - id: value
            type: u2
            doc: The number.
      scalar_int16:
        doc: A signed 16-bit integer.
        seq:
          - id: value
            type: s2
            doc: The number.
      scalar_uint32:
        doc: An unsigned 32-bit integer.
        seq:
          - id: value
            type: u4
            doc: The number.
      scalar_int32:
        doc: A signed 32-bit integer.
        seq:
          - id: value
            type: s4
            doc: The number.
      scalar_float32:
        doc: An IEEE 754 single.
        seq:
          - id: value
            type: f4
            doc: The number.
      scalar_bool:
        doc: A truth value in one byte; 0 and 1 by the specification, any byte but 0 counts as true in practice.
        seq:
          - id: value
            type: u1
            -type: bool
            doc: The byte.
      scalar_uint64:
        doc: An unsigned 64-bit integer.
        seq:
          - id: value
            type: u8
            doc: The number.
      scalar_int64:
        doc: A signed 64-bit integer.
        seq:
          - id: value
            type: s8
            doc: The number.
      scalar_float64:
        doc: An IEEE 754 double.
        seq:
          - id: value
            type: f8
            doc: The number.
      dimension:
        doc: A dimension of a tensor; it hands the number of elements so far on to the next one.
        params:
          - id: num_elements_before
            type: u8
            doc: Product of the dimensions before this one.
        seq:
          - id: value
            type: size
            doc: Number of elements along this dimension.
        instances:
          num_elements:
            value: num_elements_before * value.value
            doc: Product of the dimensions up to this one.
      tensor_info:
        -orig-id: gguf_tensor_info_t
        -label: name
        doc: Where a tensor lies and what is in it.
        seq:
          - id: name
            type: string
            doc: The name, at most 63 bytes for ggml, unique in a sound file.
          - id: num_dims
            type: u4
            -orig-id: n_dimensions
            -limit: max_dims
            doc: Number of dimensions, 1 to 4 in practice; 0 is a scalar.
          - id: dims
            type: 'dimension(_index > 0 ? dims[_index - 1].num_elements : 1)'
            repeat: expr
            repeat-expr: num_dims
            -orig-id: dimensions
            doc: The dimensions in file order, the fastest varying one first (the reverse of numpy's order).
          - id: ggml_type
            type: u4
            enum: ggml::ggml_type
            -orig-id: type
            doc: How the elements are stored.
          - id: ofs_data
            type: u8
            -orig-id: offset
            doc: Where the data begins, counted from the start of the data section; a multiple of the alignment.
        instances:
          num_elements:
            value: 'num_dims > 0 ? dims[num_dims - 1].num_elements : 1'
            doc: Number of elements of the tensor; a scalar has one.
          data:
            pos: _root.body.ofs_data + ofs_data
            type: ggml(ggml_type, num_elements, _root.is_be)
            doc: The tensor data, block by block.
    enums:
      value_type:
        0:
          id: uint8
          -orig-id: GGUF_TYPE_UINT8
          doc: Unsigned, 8 bits.
        1:
          id: int8
          -orig-id: GGUF_TYPE_INT8
          doc: Signed, 8 bits.
        2:
          id: uint16
          -orig-id: GGUF_TYPE_UINT16
          doc: Unsigned, 16 bits.
        3:
          id: int16
          -orig-id: GGUF_TYPE_INT16
          doc: Signed, 16 bits.
        4:
          id: uint32
          -orig-id: GGUF_TYPE_UINT32
          doc: Unsigned, 32 bits.
        5:
          id: int32
          -orig-id: GGUF_TYPE_INT32
          doc: Signed, 32 bits.
        6:
          id: float32
          -orig-id: GGUF_TYPE_FLOAT32
          doc: IEEE 754 single precision.
        7:
          id: bool
          -orig-id: GGUF_TYPE_BOOL
          doc: One byte; see scalar_bool.
        8:
          id: string
          -orig-id: GGUF_TYPE_STRING
          doc: Bytes behind their length.
        9:
          id: array
          -orig-id: GGUF_TYPE_ARRAY
          doc: Elements of one type behind that type and their number.
        10:
          id: uint64
          -orig-id: GGUF_TYPE_UINT64
          -since: 2
          doc: Unsigned, 64 bits; since version 2.
        11:
          id: int64
          -orig-id: GGUF_TYPE_INT64
          -since: 2
          doc: Signed, 64 bits; since version 2.
        12:
          id: float64
          -orig-id: GGUF_TYPE_FLOAT64
          -since: 2
          doc: IEEE 754 double precision; since version 2.
