meta:
  id: ggml
  title: ggml tensor data (blocks of every element type)
  license: CC0-1.0
  ks-version: "0.11"
  endian:
    switch-on: is_be
    cases:
      true: be
      false: le
doc: |
  The data of one ggml tensor: a run of equal blocks, each holding a fixed number of elements.

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
doc-ref:
  - https://github.com/ggml-org/ggml/blob/d99724f2/src/ggml-common.h
  - https://github.com/ggml-org/ggml/blob/d99724f2/src/ggml-quants.c
  - https://github.com/ggml-org/ggml/blob/d99724f2/include/ggml.h
params:
  - id: ggml_type
    -orig-id: type
    type: u4
    enum: ggml_type
    doc: Element type of the tensor.
  - id: num_elements
    -orig-id: ggml_nelements
    type: u8
    doc: Number of elements of the tensor, the product of its dimensions.
  - id: is_be
    type: bool
    doc: Whether multi-byte fields are big-endian.
seq:
  - id: blocks
    type:
      switch-on: ggml_type
      cases:
        'ggml_type::f32': block_f32
        'ggml_type::f16': block_f16
        'ggml_type::q4_0': block_q4_0
        'ggml_type::q4_1': block_q4_1
        'ggml_type::q5_0': block_q5_0
        'ggml_type::q5_1': block_q5_1
        'ggml_type::q8_0': block_q8_0
        'ggml_type::q8_1': block_q8_1
        'ggml_type::q2_k': block_q2_k
        'ggml_type::q3_k': block_q3_k
        'ggml_type::q4_k': block_q4_k
        'ggml_type::q5_k': block_q5_k
        'ggml_type::q6_k': block_q6_k
        'ggml_type::q8_k': block_q8_k
        'ggml_type::iq2_xxs': block_iq2_xxs
        'ggml_type::iq2_xs': block_iq2_xs
        'ggml_type::iq3_xxs': block_iq3_xxs
        'ggml_type::iq1_s': block_iq1_s
        'ggml_type::iq4_nl': block_iq4_nl
        'ggml_type::iq3_s': block_iq3_s
        'ggml_type::iq2_s': block_iq2_s
        'ggml_type::iq4_xs': block_iq4_xs
        'ggml_type::i8': block_i8
        'ggml_type::i16': block_i16
        'ggml_type::i32': block_i32
        'ggml_type::i64': block_i64
        'ggml_type::f64': block_f64
        'ggml_type::iq1_m': block_iq1_m
        'ggml_type::bf16': block_bf16
        'ggml_type::tq1_0': block_tq1_0
        'ggml_type::tq2_0': block_tq2_0
        'ggml_type::mxfp4': block_mxfp4
        'ggml_type::nvfp4': block_nvfp4
        'ggml_type::q1_0': block_q1_0
        'ggml_type::q2_0': block_q2_0
    repeat: expr
    repeat-expr: num_elements / num_elements_per_block
    if: num_elements_per_block > 0
    doc: The blocks, in storage order. Absent when the layout of the type is unknown or gone.
instances:
  num_elements_per_block:
    -orig-id: blck_size
    value: >-
      (ggml_type == ggml_type::f32 or ggml_type == ggml_type::f16
      or ggml_type == ggml_type::i8 or ggml_type == ggml_type::i16
      or ggml_type == ggml_type::i32 or ggml_type == ggml_type::i64
      or ggml_type == ggml_type::f64 or ggml_type == ggml_type::bf16) ? 1 :
      (ggml_type == ggml_type::q4_0 or ggml_type == ggml_type::q4_1
      or ggml_type == ggml_type::q5_0 or ggml_type == ggml_type::q5_1
      or ggml_type == ggml_type::q8_0 or ggml_type == ggml_type::q8_1
      or ggml_type == ggml_type::iq4_nl or ggml_type == ggml_type::mxfp4) ? 32 :
      (ggml_type == ggml_type::nvfp4 or ggml_type == ggml_type::q2_0) ? 64 :
      (ggml_type == ggml_type::q1_0) ? 128 :
      (ggml_type == ggml_type::q2_k or ggml_type == ggml_type::q3_k
      or ggml_type == ggml_type::q4_k or ggml_type == ggml_type::q5_k
      or ggml_type == ggml_type::q6_k or ggml_type == ggml_type::q8_k
      or ggml_type == ggml_type::iq2_xxs or ggml_type == ggml_type::iq2_xs
      or ggml_type == ggml_type::iq3_xxs or ggml_type == ggml_type::iq1_s
      or ggml_type == ggml_type::iq3_s or ggml_type == ggml_type::iq2_s
      or ggml_type == ggml_type::iq4_xs or ggml_type == ggml_type::iq1_m
      or ggml_type == ggml_type::tq1_0 or ggml_type == ggml_type::tq2_0) ? 256 : 0
    doc: Elements that one block of this type holds; 0 for a type without a known layout.
types:
  block_f32:
    -ggml-type: f32
    -elements: 1
    -bytes: 4
    -orig-id: float
    doc: One single-precision float.
    seq:
      - id: v
        type: f4
        doc: The element.
  block_f16:
    -ggml-type: f16
    -elements: 1
    -bytes: 2
    -orig-id: ggml_fp16_t
    doc: One half-precision float.
    seq:
      - id: v
        type: u2
        -type: f2
        doc: The element.
  block_bf16:
    -ggml-type: bf16
    -elements: 1
    -bytes: 2
    -orig-id: ggml_bf16_t
    doc: One bfloat16, the upper half of a single-precision float.
    seq:
      - id: v
        type: u2
        -type: bf2
        doc: The element.
  block_f64:
    -ggml-type: f64
    -elements: 1
    -bytes: 8
    -orig-id: double
    doc: One double-precision float.
    seq:
      - id: v
        type: f8
        doc: The element.
  block_i8:
    -ggml-type: i8
    -elements: 1
    -bytes: 1
    -orig-id: int8_t
    doc: One signed 8-bit integer.
    seq:
      - id: v
        type: s1
        doc: The element.
  block_i16:
    -ggml-type: i16
    -elements: 1
    -bytes: 2
    -orig-id: int16_t
    doc: One signed 16-bit integer.
    seq:
      - id: v
        type: s2
        doc: The element.
  block_i32:
    -ggml-type: i32
    -elements: 1
    -bytes: 4
    -orig-id: int32_t
    doc: One signed 32-bit integer.
    seq:
      - id: v
        type: s4
        doc: The element.
  block_i64:
    -ggml-type: i64
    -elements: 1
    -bytes: 8
    -orig-id: int64_t
    doc: One signed 64-bit integer.
    seq:
      - id: v
        type: s8
        doc: The element.
  block_q1_0:
    -ggml-type: q1_0
    -elements: 128
    -bytes: 18
    -orig-id: block_q1_0
    doc: |
      128 signs with one scale. y = +d where the bit is set, -d where it is not; element j is
      bit j % 8, from the low end, of byte j / 8.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale, the magnitude of every element.
      - id: qs
        size: 16
        doc: Sign bits, one per element.
  block_q2_0:
    -ggml-type: q2_0
    -elements: 64
    -bytes: 18
    -orig-id: block_q2_0
    doc: |
      64 elements of 2 bits with one scale. y = d * (v - 1) with v from 0 to 3; element j is
      bits 2 * (j % 4) and up of byte j / 4.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: qs
        size: 16
        doc: 2-bit values, four consecutive elements per byte, lowest bits first.
  block_q4_0:
    -ggml-type: q4_0
    -elements: 32
    -bytes: 18
    -orig-id: block_q4_0
    doc: 32 elements of 4 bits with one scale. y = d * (q - 8), q in nibble order.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: qs
        size: 16
        doc: 4-bit values; byte j holds element j (low nibble) and element j + 16 (high).
  block_q4_1:
    -ggml-type: q4_1
    -elements: 32
    -bytes: 20
    -orig-id: block_q4_1
    doc: 32 elements of 4 bits with a scale and a minimum. y = d * q + m, q in nibble order.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: m
        type: u2
        -type: f2
        doc: Minimum. C shares d and m with one half2 word, but each is a half of its own.
      - id: qs
        size: 16
        doc: 4-bit values; byte j holds element j (low nibble) and element j + 16 (high).
  block_q5_0:
    -ggml-type: q5_0
    -elements: 32
    -bytes: 22
    -orig-id: block_q5_0
    doc: |
      32 elements of 5 bits with one scale. y = d * (q - 16), where q is the nibble (nibble
      order) plus 16 times bit j of qh.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: qh
        type: u4
        doc: Fifth bits, bit j for element j. Declared as 4 bytes in C, used as one word.
      - id: qs
        size: 16
        doc: Low 4 bits; byte j holds element j (low nibble) and element j + 16 (high).
  block_q5_1:
    -ggml-type: q5_1
    -elements: 32
    -bytes: 24
    -orig-id: block_q5_1
    doc: |
      32 elements of 5 bits with a scale and a minimum. y = d * q + m, where q is the nibble
      (nibble order) plus 16 times bit j of qh.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: m
        type: u2
        -type: f2
        doc: Minimum. C shares d and m with one half2 word, but each is a half of its own.
      - id: qh
        type: u4
        doc: Fifth bits, bit j for element j. Declared as 4 bytes in C, used as one word.
      - id: qs
        size: 16
        doc: Low 4 bits; byte j holds element j (low nibble) and element j + 16 (high).
  block_q8_0:
    -ggml-type: q8_0
    -elements: 32
    -bytes: 34
    -orig-id: block_q8_0
    doc: 32 signed bytes with one scale. y = d * q.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: qs
        type: s1
        repeat: expr
        repeat-expr: 32
        doc: 8-bit values, one per element.
  block_q8_1:
    -ggml-type: q8_1
    -elements: 32
    -bytes: 36
    -orig-id: block_q8_1
    doc: |
      32 signed bytes with one scale and a helper sum. y = d * q. Made for activations during
      dot products, not expected in files. Before 2024 it had two single floats (40 bytes).
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: s
        type: u2
        -type: f2
        doc: d times the sum of all values; not needed to decode.
      - id: qs
        type: s1
        repeat: expr
        repeat-expr: 32
        doc: 8-bit values, one per element.
  block_q2_k:
    -ggml-type: q2_k
    -elements: 256
    -bytes: 84
    -orig-id: block_q2_K
    doc: |
      256 elements of 2 bits in 16 sub-blocks, each with a 4-bit scale and a 4-bit minimum.
      y[j] = d * scale[j / 16] * q[j] - dmin * min[j / 16], q as planes of 2 bits over 32 bytes.
    seq:
      - id: scales
        size: 16
        doc: One byte per sub-block of 16, the scale in the low nibble, the minimum in the high.
      - id: qs
        size: 64
        doc: 2-bit values.
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: dmin
        type: u2
        -type: f2
        doc: Scale of the minimums.
  block_q3_k:
    -ggml-type: q3_k
    -elements: 256
    -bytes: 110
    -orig-id: block_q3_K
    doc: |
      256 elements of 3 bits in 16 sub-blocks with 6-bit scales. y[j] = d * (scale[j / 16] - 32)
      * q[j], where q is the 2-bit value (planes over 32 bytes), minus 4 if its bit in hmask
      (planes of 1 bit over 32 bytes) is clear.
    seq:
      - id: hmask
        size: 32
        doc: Third bits; bit k of byte i belongs to element 32 * k + i.
      - id: qs
        size: 64
        doc: Low 2 bits.
      - id: scales
        size: 12
        doc: |
          16 scales of 6 bits. The low four bits of scale k are a nibble of byte k % 8 (low for
          k < 8, else high); the high two are bits 2 * (k / 4) and up of byte 8 + k % 4.
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
  block_q4_k:
    -ggml-type: q4_k
    -elements: 256
    -bytes: 144
    -orig-id: block_q4_K
    doc: |
      256 elements of 4 bits in 8 sub-blocks, each with a 6-bit scale and a 6-bit minimum.
      y[j] = d * scale[j / 32] * q[j] - dmin * min[j / 32], q as planes of 4 bits over 32 bytes.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: dmin
        type: u2
        -type: f2
        doc: Scale of the minimums.
      - id: scales
        size: 12
        doc: |
          For k < 4: scale k = s[k] & 63, min k = s[k + 4] & 63. For k >= 4: scale k is
          s[k + 4] & 15 with the top bits of s[k - 4] above, min k is s[k + 4] >> 4 with the top
          bits of s[k] above.
      - id: qs
        size: 128
        doc: 4-bit values; each run of 32 bytes holds 32 low nibbles, then 32 high nibbles.
  block_q5_k:
    -ggml-type: q5_k
    -elements: 256
    -bytes: 176
    -orig-id: block_q5_K
    doc: |
      256 elements of 5 bits in 8 sub-blocks with 6-bit scales and minimums.
      y[j] = d * scale[j / 32] * q[j] - dmin * min[j / 32], where q is the nibble (planes over
      32 bytes) plus 16 times its bit in qh (planes of 1 bit over 32 bytes).
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: dmin
        type: u2
        -type: f2
        doc: Scale of the minimums.
      - id: scales
        size: 12
        doc: 6-bit scales and minimums, packed as in block_q4_k.
      - id: qh
        size: 32
        doc: Fifth bits; bit k of byte i belongs to element 32 * k + i.
      - id: qs
        size: 128
        doc: Low 4 bits; each run of 32 bytes holds 32 low nibbles, then 32 high nibbles.
  block_q6_k:
    -ggml-type: q6_k
    -elements: 256
    -bytes: 210
    -orig-id: block_q6_K
    doc: |
      256 elements of 6 bits in 16 sub-blocks with 8-bit scales. y[j] = d * scale[j / 16] *
      (q[j] - 32), where q is the nibble (planes over 64 bytes) plus 16 times the 2-bit value of
      qh (planes over 32 bytes).
    seq:
      - id: ql
        size: 128
        doc: Low 4 bits; each run of 64 bytes holds 64 low nibbles, then 64 high nibbles.
      - id: qh
        size: 64
        doc: High 2 bits; each run of 32 bytes holds four planes of 32 values.
      - id: scales
        type: s1
        repeat: expr
        repeat-expr: 16
        doc: Signed scale of each sub-block of 16.
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
  block_q8_k:
    -ggml-type: q8_k
    -elements: 256
    -bytes: 292
    -orig-id: block_q8_K
    doc: |
      256 signed bytes with one single-precision scale. y = d * q. Made for activations during
      dot products, not expected in files.
    seq:
      - id: d
        type: f4
        doc: Scale.
      - id: qs
        type: s1
        repeat: expr
        repeat-expr: 256
        doc: 8-bit values, one per element.
      - id: bsums
        type: s2
        repeat: expr
        repeat-expr: 16
        doc: Sums of 16 consecutive values; not needed to decode.
  block_tq1_0:
    -ggml-type: tq1_0
    -elements: 256
    -bytes: 54
    -orig-id: block_tq1_0
    doc: |
      256 ternary elements, five to a byte as base-3 digits in fixed point. Digit i of byte b is
      (3 * (b * 3**i % 256)) >> 8; y = d * (digit - 1). Each group of bytes lists digit 0 of all
      its bytes, then digit 1, and so on. Groups are qs[0..31], qs[32..47], qh.
    seq:
      - id: qs
        size: 48
        doc: Five digits per byte, as a group of 32 bytes and a group of 16.
      - id: qh
        size: 4
        doc: Four digits per byte, the last 16 elements.
      - id: d
        type: u2
        -type: f2
        doc: Scale.
  block_tq2_0:
    -ggml-type: tq2_0
    -elements: 256
    -bytes: 66
    -orig-id: block_tq2_0
    doc: |
      256 ternary elements of 2 bits. y = d * (q - 1), q as planes of 2 bits over 32 bytes.
      Writers never store 3; it would decode to 2 * d.
    seq:
      - id: qs
        size: 64
        doc: 2-bit values.
      - id: d
        type: u2
        -type: f2
        doc: Scale.
  block_mxfp4:
    -ggml-type: mxfp4
    -elements: 32
    -bytes: 17
    -orig-id: block_mxfp4
    doc: |
      32 floats of 4 bits (E2M1) with a power of two as scale, OCP microscaling MXFP4.
      y = 2**(e - 127) * value, in nibble order; the values are 0 0.5 1 1.5 2 3 4 6 and the same
      negated (code 8 is 0, without a sign). ggml decodes e = 255 as a number, OCP as NaN.
    seq:
      - id: e
        type: u1
        -type: e8m0
        doc: Exponent of the scale, biased by 127.
      - id: qs
        size: 16
        doc: 4-bit floats; byte j holds element j (low nibble) and element j + 16 (high).
  block_nvfp4:
    -ggml-type: nvfp4
    -elements: 64
    -bytes: 36
    -orig-id: block_nvfp4
    doc: |
      64 floats of 4 bits (E2M1) in four sub-blocks of 16 with an 8-bit float scale each.
      y = d[k] * value; the values are those of block_mxfp4. Sub-block k uses qs[8k..8k+7] in
      nibble order. A scale for the whole tensor, if any, is a tensor of its own.
    seq:
      - id: d
        type: u1
        -type: ue4m3
        repeat: expr
        repeat-expr: 4
        doc: Scale of each sub-block; 0x7f decodes to zero, bit 7 is ignored.
      - id: qs
        size: 32
        doc: 4-bit floats, 8 bytes per sub-block.
  block_iq4_nl:
    -ggml-type: iq4_nl
    -elements: 32
    -bytes: 18
    -orig-id: block_iq4_nl
    doc: |
      32 elements of 4 bits that index a table of 16 unevenly spaced integers (-127 to 113).
      y = d * table[q], q in nibble order.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale.
      - id: qs
        size: 16
        doc: 4-bit indices; byte j holds element j (low nibble) and element j + 16 (high).
  block_iq4_xs:
    -ggml-type: iq4_xs
    -elements: 256
    -bytes: 136
    -orig-id: block_iq4_xs
    doc: |
      256 elements of 4 bits that index the table of block_iq4_nl, in 8 sub-blocks with 6-bit
      scales. y[j] = d * (scale[j / 32] - 32) * table[q[j]]; sub-block k uses qs[16k..16k+15] in
      nibble order.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: scales_h
        type: u2
        doc: High 2 bits of the scales, bits 2k and up for sub-block k.
      - id: scales_l
        size: 4
        doc: Low 4 bits of the scales, two per byte, low nibble first.
      - id: qs
        size: 128
        doc: 4-bit indices, 16 bytes per sub-block.
  block_iq1_s:
    -ggml-type: iq1_s
    -elements: 256
    -bytes: 50
    -orig-id: block_iq1_s
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 8, each a codebook entry of -1, 0 and 1. y = d * (2s + 1) *
      (entry + delta). The 11-bit entry number of group 4k + l is qs[4k + l] plus 256 times bits
      3l to 3l + 2 of qh[k]; delta is 0.125, or -0.125 where bit 15 of qh[k] is set.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: qs
        size: 32
        doc: Low 8 bits of the entry number of each group of 8.
      - id: qh
        type: u2
        repeat: expr
        repeat-expr: 8
        doc: |
          Per 32 elements, bits 0-11 are the high bits of four entry numbers, bits 12-14 the
          scale s, bit 15 the sign of delta.
  block_iq1_m:
    -ggml-type: iq1_m
    -elements: 256
    -bytes: 56
    -orig-id: block_iq1_m
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 8, each an entry of the codebook of block_iq1_s. y = d * (2s + 1)
      * (entry + delta). Nibble i of qh (low first) gives the high 3 bits of entry number i and,
      in its top bit, the sign of delta. There is no field d; its bits are the top nibbles of
      the four scale words, word 0 the lowest.
    seq:
      - id: qs
        size: 32
        doc: Low 8 bits of the entry number of each group of 8.
      - id: qh
        size: 16
        doc: One nibble per group of 8, low nibble first.
      - id: scales
        type: u2
        repeat: expr
        repeat-expr: 4
        doc: |
          Bits 3t to 3t + 2 (t from 0 to 3) of word w are the scale s of the 16 elements number
          4w + t; bits 12-15 are one nibble of the half-precision d. Declared as 8 bytes in C.
  block_iq2_xxs:
    -ggml-type: iq2_xxs
    -elements: 256
    -bytes: 66
    -orig-id: block_iq2_xxs
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 8, each a codebook entry (256 entries of 8, 25, 43) with signs,
      and a 4-bit scale s per 32 elements. y = d * (0.5 + s) * 0.25 * entry.
      A 7-bit sign index gives the signs of elements 0 to 6; element 7 makes their number even.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: qs
        type: u4
        repeat: expr
        repeat-expr: 16
        doc: |
          Pairs of words, one pair per 32 elements. First word, four entry numbers of 8 bits,
          lowest first; second word, four sign indices of 7 bits, then the scale s in bits 28-31.
          Declared as 32 half-words in C, never used as such.
  block_iq2_xs:
    -ggml-type: iq2_xs
    -elements: 256
    -bytes: 74
    -orig-id: block_iq2_xs
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 8, each a codebook entry (512 entries of 8, 25, 43) with signs,
      and a 4-bit scale s per 16 elements. y = d * (0.5 + s) * 0.25 * entry.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: qs
        type: u2
        repeat: expr
        repeat-expr: 32
        doc: Per group of 8, bits 0-8 are the entry number, bits 9-15 the sign index.
      - id: scales
        size: 8
        doc: 4-bit scales per 16 elements, low nibble first.
  block_iq2_s:
    -ggml-type: iq2_s
    -elements: 256
    -bytes: 82
    -orig-id: block_iq2_s
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 8, each a codebook entry (1024 entries of 8, 25, 43) with a byte
      of signs, and a 4-bit scale s per 16 elements. y = d * (0.5 + s) * 0.25 * entry. The entry
      number of group i is qs[i] plus 256 times bits 2 * (i % 4) and up of qh[i / 4].
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: qs
        size: 32
        doc: Low 8 bits of the entry number of each group of 8.
      - id: signs
        -orig-id: qs + QK_K/8
        size: 32
        doc: Per group of 8, bit k set means that element k is negative.
      - id: qh
        size: 8
        doc: High 2 bits of the entry numbers, four per byte, lowest first.
      - id: scales
        size: 8
        doc: 4-bit scales per 16 elements, low nibble first.
  block_iq3_xxs:
    -ggml-type: iq3_xxs
    -elements: 256
    -bytes: 98
    -orig-id: block_iq3_xxs
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 4, each a codebook entry (256 entries of 4 to 62) with signs,
      and a 4-bit scale s per 32 elements. y = d * (0.5 + s) * 0.5 * entry.
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: qs
        size: 64
        doc: Entry number of each group of 4.
      - id: sas
        -orig-id: qs + QK_K/4
        type: u4
        repeat: expr
        repeat-expr: 8
        doc: |
          Scales and signs. Per 32 elements, four sign indices of 7 bits (one per 8 elements),
          then the scale s in bits 28-31.
  block_iq3_s:
    -ggml-type: iq3_s
    -elements: 256
    -bytes: 110
    -orig-id: block_iq3_s
    -big-endian-decodable: false
    -big-endian-note: >-
      ggml reads its codebook through byte pointers, so on a big-endian host its decoder lists
      each group in reverse
    doc: |
      256 elements in groups of 4, each a codebook entry (512 entries, odd numbers 1 to 15) with
      signs, and a 4-bit scale s per 32 elements. y = d * (1 + 2s) * entry. The entry number of
      group i is qs[i] plus 256 times bit i % 8 of qh[i / 8].
    seq:
      - id: d
        type: u2
        -type: f2
        doc: Scale of the scales.
      - id: qs
        size: 64
        doc: Low 8 bits of the entry number of each group of 4.
      - id: qh
        size: 8
        doc: High bits of the entry numbers, eight per byte, lowest first.
      - id: signs
        size: 32
        doc: Per 8 elements, bit k set means that element k is negative.
      - id: scales
        size: 4
        doc: 4-bit scales per 32 elements, low nibble first.
enums:
  ggml_type:
    0:
      id: f32
      -orig-id: GGML_TYPE_F32
      doc: Single-precision floats.
    1:
      id: f16
      -orig-id: GGML_TYPE_F16
      doc: Half-precision floats.
    2:
      id: q4_0
      -orig-id: GGML_TYPE_Q4_0
      doc: 4 bits, scale per 32.
    3:
      id: q4_1
      -orig-id: GGML_TYPE_Q4_1
      doc: 4 bits, scale and minimum per 32.
    4:
      id: q4_2
      -orig-id: GGML_TYPE_Q4_2
      doc: Removed.
      -removed: >-
        2023-05-14: a 4-bit type of early GGJT files, gone before GGUF existed; no GGUF writer
        ever produced it. Convert the model again from its original weights
    5:
      id: q4_3
      -orig-id: GGML_TYPE_Q4_3
      doc: Removed.
      -removed: >-
        2023-05-14: a 4-bit type of early GGJT files, gone before GGUF existed; no GGUF writer
        ever produced it. Convert the model again from its original weights
    6:
      id: q5_0
      -orig-id: GGML_TYPE_Q5_0
      doc: 5 bits, scale per 32.
    7:
      id: q5_1
      -orig-id: GGML_TYPE_Q5_1
      doc: 5 bits, scale and minimum per 32.
    8:
      id: q8_0
      -orig-id: GGML_TYPE_Q8_0
      doc: 8 bits, scale per 32.
    9:
      id: q8_1
      -orig-id: GGML_TYPE_Q8_1
      doc: 8 bits, scale and sum per 32; for activations.
    10:
      id: q2_k
      -orig-id: GGML_TYPE_Q2_K
      doc: 2 bits in super-blocks of 256.
    11:
      id: q3_k
      -orig-id: GGML_TYPE_Q3_K
      doc: 3 bits in super-blocks of 256.
    12:
      id: q4_k
      -orig-id: GGML_TYPE_Q4_K
      doc: 4 bits in super-blocks of 256.
    13:
      id: q5_k
      -orig-id: GGML_TYPE_Q5_K
      doc: 5 bits in super-blocks of 256.
    14:
      id: q6_k
      -orig-id: GGML_TYPE_Q6_K
      doc: 6 bits in super-blocks of 256.
    15:
      id: q8_k
      -orig-id: GGML_TYPE_Q8_K
      doc: 8 bits in super-blocks of 256; for activations.
    16:
      id: iq2_xxs
      -orig-id: GGML_TYPE_IQ2_XXS
      doc: 2.06 bits, codebook of 256 entries.
    17:
      id: iq2_xs
      -orig-id: GGML_TYPE_IQ2_XS
      doc: 2.31 bits, codebook of 512 entries.
    18:
      id: iq3_xxs
      -orig-id: GGML_TYPE_IQ3_XXS
      doc: 3.06 bits, codebook of 256 entries.
    19:
      id: iq1_s
      -orig-id: GGML_TYPE_IQ1_S
      doc: 1.56 bits, ternary codebook of 2048 entries.
    20:
      id: iq4_nl
      -orig-id: GGML_TYPE_IQ4_NL
      doc: 4 bits from a table, scale per 32.
    21:
      id: iq3_s
      -orig-id: GGML_TYPE_IQ3_S
      doc: 3.44 bits, codebook of 512 entries.
    22:
      id: iq2_s
      -orig-id: GGML_TYPE_IQ2_S
      doc: 2.56 bits, codebook of 1024 entries.
    23:
      id: iq4_xs
      -orig-id: GGML_TYPE_IQ4_XS
      doc: 4 bits from a table, in super-blocks of 256.
    24:
      id: i8
      -orig-id: GGML_TYPE_I8
      doc: Signed 8-bit integers.
    25:
      id: i16
      -orig-id: GGML_TYPE_I16
      doc: Signed 16-bit integers.
    26:
      id: i32
      -orig-id: GGML_TYPE_I32
      doc: Signed 32-bit integers.
    27:
      id: i64
      -orig-id: GGML_TYPE_I64
      doc: Signed 64-bit integers.
    28:
      id: f64
      -orig-id: GGML_TYPE_F64
      doc: Double-precision floats.
    29:
      id: iq1_m
      -orig-id: GGML_TYPE_IQ1_M
      doc: 1.75 bits, ternary codebook of 2048 entries.
    30:
      id: bf16
      -orig-id: GGML_TYPE_BF16
      doc: bfloat16 numbers.
    31:
      id: q4_0_4_4
      -orig-id: GGML_TYPE_Q4_0_4_4
      doc: Removed.
      -removed: >-
        2024-12-10: Q4_0 with 4 rows interleaved for ARM; runtimes now rearrange Q4_0 while they
        load it. Convert or quantise the model again, to Q4_0
    32:
      id: q4_0_4_8
      -orig-id: GGML_TYPE_Q4_0_4_8
      doc: Removed.
      -removed: >-
        2024-12-10: Q4_0 with 4 rows interleaved for ARM; runtimes now rearrange Q4_0 while they
        load it. Convert or quantise the model again, to Q4_0
    33:
      id: q4_0_8_8
      -orig-id: GGML_TYPE_Q4_0_8_8
      doc: Removed.
      -removed: >-
        2024-12-10: Q4_0 with 8 rows interleaved for ARM; runtimes now rearrange Q4_0 while they
        load it. Convert or quantise the model again, to Q4_0
    34:
      id: tq1_0
      -orig-id: GGML_TYPE_TQ1_0
      doc: Ternary, 1.69 bits.
    35:
      id: tq2_0
      -orig-id: GGML_TYPE_TQ2_0
      doc: Ternary, 2.06 bits.
    36:
      id: iq4_nl_4_4
      -orig-id: GGML_TYPE_IQ4_NL_4_4
      doc: Removed.
      -removed: >-
        2024-12-10: IQ4_NL with 4 rows interleaved, live for one week; runtimes now rearrange
        IQ4_NL while they load it. Convert or quantise the model again, to IQ4_NL
    37:
      id: iq4_nl_4_8
      -orig-id: GGML_TYPE_IQ4_NL_4_8
      doc: Reserved, never live.
      -removed: >-
        2024-12-10: reserved a week before for an interleaved IQ4_NL, never live. Convert or
        quantise the model again, to IQ4_NL
    38:
      id: iq4_nl_8_8
      -orig-id: GGML_TYPE_IQ4_NL_8_8
      doc: Reserved, never live.
      -removed: >-
        2024-12-10: reserved a week before for an interleaved IQ4_NL, never live. Convert or
        quantise the model again, to IQ4_NL
    39:
      id: mxfp4
      -orig-id: GGML_TYPE_MXFP4
      doc: 4-bit floats with a power of two per 32 (OCP microscaling); since August 2025.
    40:
      id: nvfp4
      -orig-id: GGML_TYPE_NVFP4
      doc: 4-bit floats with an 8-bit float scale per 16; since March 2026.
    41:
      id: q1_0
      -orig-id: GGML_TYPE_Q1_0
      doc: 1 bit, scale per 128; since April 2026.
    42:
      id: q2_0
      -orig-id: GGML_TYPE_Q2_0
      doc: 2 bits, scale per 64; since July 2026.
