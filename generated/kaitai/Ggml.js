// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild

(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'));
  } else {
    factory(root.Ggml || (root.Ggml = {}), root.KaitaiStream);
  }
})(typeof self !== 'undefined' ? self : this, function (Ggml_, KaitaiStream) {
/**
 * The data of one ggml tensor: a run of equal blocks, each holding a fixed number of elements.
 * 
 * A plain type (F32, I8, ...) has blocks of one element. A quantised type packs 32 to 256
 * elements with their scales. A row (the innermost dimension) is a whole number of blocks.
 * Multi-byte fields follow the byte order of the file, which the caller passes as `is_be`.
 * 
 * Kaitai has no half floats. A field that holds one is read as an unsigned integer of the same
 * width, and `-type` names what its bits mean: f2 (IEEE half), bf2 (bfloat16), e8m0 (a power of
 * two, exponent bias 127), ue4m3 (unsigned, 4 exponent bits with bias 7, 3 mantissa bits, bit 7
 * ignored). `-elements` and `-bytes` state the size of a block, `-orig-id` the C name.
 * 
 * Words in the docs: `y` is the output of one block in storage order. "Nibble order" means the
 * low nibbles of all bytes, then the high nibbles. "Planes of b bits over w bytes" means: cut
 * the bytes into runs of w, and for each run list bits 0 to b-1 of every byte, then bits b to
 * 2b-1 of every byte, and so on. Scales are combined first, then multiplied by the integer, and
 * the minimum is subtracted last; all of it in single precision.
 * @see {@link https://github.com/ggml-org/ggml/blob/d99724f2/src/ggml-common.h|Source}
 * @see {@link https://github.com/ggml-org/ggml/blob/d99724f2/src/ggml-quants.c|Source}
 * @see {@link https://github.com/ggml-org/ggml/blob/d99724f2/include/ggml.h|Source}
 */

var Ggml = (function() {
  Ggml.GgmlType = Object.freeze({
    F32: 0,
    F16: 1,
    Q4_0: 2,
    Q4_1: 3,
    Q4_2: 4,
    Q4_3: 5,
    Q5_0: 6,
    Q5_1: 7,
    Q8_0: 8,
    Q8_1: 9,
    Q2_K: 10,
    Q3_K: 11,
    Q4_K: 12,
    Q5_K: 13,
    Q6_K: 14,
    Q8_K: 15,
    IQ2_XXS: 16,
    IQ2_XS: 17,
    IQ3_XXS: 18,
    IQ1_S: 19,
    IQ4_NL: 20,
    IQ3_S: 21,
    IQ2_S: 22,
    IQ4_XS: 23,
    I8: 24,
    I16: 25,
    I32: 26,
    I64: 27,
    F64: 28,
    IQ1_M: 29,
    BF16: 30,
    Q4_0_4_4: 31,
    Q4_0_4_8: 32,
    Q4_0_8_8: 33,
    TQ1_0: 34,
    TQ2_0: 35,
    IQ4_NL_4_4: 36,
    IQ4_NL_4_8: 37,
    IQ4_NL_8_8: 38,
    MXFP4: 39,
    NVFP4: 40,
    Q1_0: 41,
    Q2_0: 42,

    0: "F32",
    1: "F16",
    2: "Q4_0",
    3: "Q4_1",
    4: "Q4_2",
    5: "Q4_3",
    6: "Q5_0",
    7: "Q5_1",
    8: "Q8_0",
    9: "Q8_1",
    10: "Q2_K",
    11: "Q3_K",
    12: "Q4_K",
    13: "Q5_K",
    14: "Q6_K",
    15: "Q8_K",
    16: "IQ2_XXS",
    17: "IQ2_XS",
    18: "IQ3_XXS",
    19: "IQ1_S",
    20: "IQ4_NL",
    21: "IQ3_S",
    22: "IQ2_S",
    23: "IQ4_XS",
    24: "I8",
    25: "I16",
    26: "I32",
    27: "I64",
    28: "F64",
    29: "IQ1_M",
    30: "BF16",
    31: "Q4_0_4_4",
    32: "Q4_0_4_8",
    33: "Q4_0_8_8",
    34: "TQ1_0",
    35: "TQ2_0",
    36: "IQ4_NL_4_4",
    37: "IQ4_NL_4_8",
    38: "IQ4_NL_8_8",
    39: "MXFP4",
    40: "NVFP4",
    41: "Q1_0",
    42: "Q2_0",
  });

  function Ggml(_io, _parent, _root, ggmlType, numElements, isBe) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;
    this.ggmlType = ggmlType;
    this.numElements = numElements;
    this.isBe = isBe;

    this._read();
  }
  Ggml.prototype._read = function() {
    switch (this.isBe) {
    case true:
      this._is_le = false;
      break;
    case false:
      this._is_le = true;
      break;
    }

    if (this._is_le === true) {
      this._readLE();
    } else if (this._is_le === false) {
      this._readBE();
    } else {
      throw new KaitaiStream.UndecidedEndiannessError();
    }
  }
  Ggml.prototype._readLE = function() {
    if (this.numElementsPerBlock > 0) {
      this.blocks = [];
      for (var i = 0; i < Math.floor(this.numElements / this.numElementsPerBlock); i++) {
        switch (this.ggmlType) {
        case Ggml.GgmlType.BF16:
          this.blocks.push(new BlockBf16(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.F16:
          this.blocks.push(new BlockF16(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.F32:
          this.blocks.push(new BlockF32(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.F64:
          this.blocks.push(new BlockF64(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I16:
          this.blocks.push(new BlockI16(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I32:
          this.blocks.push(new BlockI32(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I64:
          this.blocks.push(new BlockI64(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I8:
          this.blocks.push(new BlockI8(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ1_M:
          this.blocks.push(new BlockIq1M(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ1_S:
          this.blocks.push(new BlockIq1S(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ2_S:
          this.blocks.push(new BlockIq2S(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ2_XS:
          this.blocks.push(new BlockIq2Xs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ2_XXS:
          this.blocks.push(new BlockIq2Xxs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ3_S:
          this.blocks.push(new BlockIq3S(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ3_XXS:
          this.blocks.push(new BlockIq3Xxs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ4_NL:
          this.blocks.push(new BlockIq4Nl(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ4_XS:
          this.blocks.push(new BlockIq4Xs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.MXFP4:
          this.blocks.push(new BlockMxfp4(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.NVFP4:
          this.blocks.push(new BlockNvfp4(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q1_0:
          this.blocks.push(new BlockQ10(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q2_0:
          this.blocks.push(new BlockQ20(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q2_K:
          this.blocks.push(new BlockQ2K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q3_K:
          this.blocks.push(new BlockQ3K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q4_0:
          this.blocks.push(new BlockQ40(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q4_1:
          this.blocks.push(new BlockQ41(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q4_K:
          this.blocks.push(new BlockQ4K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q5_0:
          this.blocks.push(new BlockQ50(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q5_1:
          this.blocks.push(new BlockQ51(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q5_K:
          this.blocks.push(new BlockQ5K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q6_K:
          this.blocks.push(new BlockQ6K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q8_0:
          this.blocks.push(new BlockQ80(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q8_1:
          this.blocks.push(new BlockQ81(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q8_K:
          this.blocks.push(new BlockQ8K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.TQ1_0:
          this.blocks.push(new BlockTq10(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.TQ2_0:
          this.blocks.push(new BlockTq20(this._io, this, this._root, this._is_le));
          break;
        }
      }
    }
  }
  Ggml.prototype._readBE = function() {
    if (this.numElementsPerBlock > 0) {
      this.blocks = [];
      for (var i = 0; i < Math.floor(this.numElements / this.numElementsPerBlock); i++) {
        switch (this.ggmlType) {
        case Ggml.GgmlType.BF16:
          this.blocks.push(new BlockBf16(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.F16:
          this.blocks.push(new BlockF16(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.F32:
          this.blocks.push(new BlockF32(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.F64:
          this.blocks.push(new BlockF64(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I16:
          this.blocks.push(new BlockI16(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I32:
          this.blocks.push(new BlockI32(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I64:
          this.blocks.push(new BlockI64(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.I8:
          this.blocks.push(new BlockI8(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ1_M:
          this.blocks.push(new BlockIq1M(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ1_S:
          this.blocks.push(new BlockIq1S(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ2_S:
          this.blocks.push(new BlockIq2S(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ2_XS:
          this.blocks.push(new BlockIq2Xs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ2_XXS:
          this.blocks.push(new BlockIq2Xxs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ3_S:
          this.blocks.push(new BlockIq3S(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ3_XXS:
          this.blocks.push(new BlockIq3Xxs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ4_NL:
          this.blocks.push(new BlockIq4Nl(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.IQ4_XS:
          this.blocks.push(new BlockIq4Xs(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.MXFP4:
          this.blocks.push(new BlockMxfp4(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.NVFP4:
          this.blocks.push(new BlockNvfp4(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q1_0:
          this.blocks.push(new BlockQ10(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q2_0:
          this.blocks.push(new BlockQ20(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q2_K:
          this.blocks.push(new BlockQ2K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q3_K:
          this.blocks.push(new BlockQ3K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q4_0:
          this.blocks.push(new BlockQ40(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q4_1:
          this.blocks.push(new BlockQ41(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q4_K:
          this.blocks.push(new BlockQ4K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q5_0:
          this.blocks.push(new BlockQ50(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q5_1:
          this.blocks.push(new BlockQ51(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q5_K:
          this.blocks.push(new BlockQ5K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q6_K:
          this.blocks.push(new BlockQ6K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q8_0:
          this.blocks.push(new BlockQ80(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q8_1:
          this.blocks.push(new BlockQ81(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.Q8_K:
          this.blocks.push(new BlockQ8K(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.TQ1_0:
          this.blocks.push(new BlockTq10(this._io, this, this._root, this._is_le));
          break;
        case Ggml.GgmlType.TQ2_0:
          this.blocks.push(new BlockTq20(this._io, this, this._root, this._is_le));
          break;
        }
      }
    }
  }

  /**
   * One bfloat16, the upper half of a single-precision float.
   */

  var BlockBf16 = Ggml.BlockBf16 = (function() {
    function BlockBf16(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockBf16.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockBf16.prototype._readLE = function() {
      this.v = this._io.readU2le();
    }
    BlockBf16.prototype._readBE = function() {
      this.v = this._io.readU2be();
    }

    /**
     * The element.
     */

    return BlockBf16;
  })();

  /**
   * One half-precision float.
   */

  var BlockF16 = Ggml.BlockF16 = (function() {
    function BlockF16(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockF16.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockF16.prototype._readLE = function() {
      this.v = this._io.readU2le();
    }
    BlockF16.prototype._readBE = function() {
      this.v = this._io.readU2be();
    }

    /**
     * The element.
     */

    return BlockF16;
  })();

  /**
   * One single-precision float.
   */

  var BlockF32 = Ggml.BlockF32 = (function() {
    function BlockF32(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockF32.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockF32.prototype._readLE = function() {
      this.v = this._io.readF4le();
    }
    BlockF32.prototype._readBE = function() {
      this.v = this._io.readF4be();
    }

    /**
     * The element.
     */

    return BlockF32;
  })();

  /**
   * One double-precision float.
   */

  var BlockF64 = Ggml.BlockF64 = (function() {
    function BlockF64(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockF64.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockF64.prototype._readLE = function() {
      this.v = this._io.readF8le();
    }
    BlockF64.prototype._readBE = function() {
      this.v = this._io.readF8be();
    }

    /**
     * The element.
     */

    return BlockF64;
  })();

  /**
   * One signed 16-bit integer.
   */

  var BlockI16 = Ggml.BlockI16 = (function() {
    function BlockI16(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockI16.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockI16.prototype._readLE = function() {
      this.v = this._io.readS2le();
    }
    BlockI16.prototype._readBE = function() {
      this.v = this._io.readS2be();
    }

    /**
     * The element.
     */

    return BlockI16;
  })();

  /**
   * One signed 32-bit integer.
   */

  var BlockI32 = Ggml.BlockI32 = (function() {
    function BlockI32(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockI32.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockI32.prototype._readLE = function() {
      this.v = this._io.readS4le();
    }
    BlockI32.prototype._readBE = function() {
      this.v = this._io.readS4be();
    }

    /**
     * The element.
     */

    return BlockI32;
  })();

  /**
   * One signed 64-bit integer.
   */

  var BlockI64 = Ggml.BlockI64 = (function() {
    function BlockI64(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockI64.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockI64.prototype._readLE = function() {
      this.v = this._io.readS8le();
    }
    BlockI64.prototype._readBE = function() {
      this.v = this._io.readS8be();
    }

    /**
     * The element.
     */

    return BlockI64;
  })();

  /**
   * One signed 8-bit integer.
   */

  var BlockI8 = Ggml.BlockI8 = (function() {
    function BlockI8(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockI8.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockI8.prototype._readLE = function() {
      this.v = this._io.readS1();
    }
    BlockI8.prototype._readBE = function() {
      this.v = this._io.readS1();
    }

    /**
     * The element.
     */

    return BlockI8;
  })();

  /**
   * 256 elements in groups of 8, each an entry of the codebook of block_iq1_s. y = d * (2s + 1)
   * * (entry + delta). Nibble i of qh (low first) gives the high 3 bits of entry number i and,
   * in its top bit, the sign of delta. There is no field d; its bits are the top nibbles of
   * the four scale words, word 0 the lowest.
   */

  var BlockIq1M = Ggml.BlockIq1M = (function() {
    function BlockIq1M(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq1M.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq1M.prototype._readLE = function() {
      this.qs = this._io.readBytes(32);
      this.qh = this._io.readBytes(16);
      this.scales = [];
      for (var i = 0; i < 4; i++) {
        this.scales.push(this._io.readU2le());
      }
    }
    BlockIq1M.prototype._readBE = function() {
      this.qs = this._io.readBytes(32);
      this.qh = this._io.readBytes(16);
      this.scales = [];
      for (var i = 0; i < 4; i++) {
        this.scales.push(this._io.readU2be());
      }
    }

    /**
     * Low 8 bits of the entry number of each group of 8.
     */

    /**
     * One nibble per group of 8, low nibble first.
     */

    /**
     * Bits 3t to 3t + 2 (t from 0 to 3) of word w are the scale s of the 16 elements number
     * 4w + t; bits 12-15 are one nibble of the half-precision d. Declared as 8 bytes in C.
     */

    return BlockIq1M;
  })();

  /**
   * 256 elements in groups of 8, each a codebook entry of -1, 0 and 1. y = d * (2s + 1) *
   * (entry + delta). The 11-bit entry number of group 4k + l is qs[4k + l] plus 256 times bits
   * 3l to 3l + 2 of qh[k]; delta is 0.125, or -0.125 where bit 15 of qh[k] is set.
   */

  var BlockIq1S = Ggml.BlockIq1S = (function() {
    function BlockIq1S(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq1S.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq1S.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(32);
      this.qh = [];
      for (var i = 0; i < 8; i++) {
        this.qh.push(this._io.readU2le());
      }
    }
    BlockIq1S.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(32);
      this.qh = [];
      for (var i = 0; i < 8; i++) {
        this.qh.push(this._io.readU2be());
      }
    }

    /**
     * Scale of the scales.
     */

    /**
     * Low 8 bits of the entry number of each group of 8.
     */

    /**
     * Per 32 elements, bits 0-11 are the high bits of four entry numbers, bits 12-14 the
     * scale s, bit 15 the sign of delta.
     */

    return BlockIq1S;
  })();

  /**
   * 256 elements in groups of 8, each a codebook entry (1024 entries of 8, 25, 43) with a byte
   * of signs, and a 4-bit scale s per 16 elements. y = d * (0.5 + s) * 0.25 * entry. The entry
   * number of group i is qs[i] plus 256 times bits 2 * (i % 4) and up of qh[i / 4].
   */

  var BlockIq2S = Ggml.BlockIq2S = (function() {
    function BlockIq2S(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq2S.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq2S.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(32);
      this.signs = this._io.readBytes(32);
      this.qh = this._io.readBytes(8);
      this.scales = this._io.readBytes(8);
    }
    BlockIq2S.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(32);
      this.signs = this._io.readBytes(32);
      this.qh = this._io.readBytes(8);
      this.scales = this._io.readBytes(8);
    }

    /**
     * Scale of the scales.
     */

    /**
     * Low 8 bits of the entry number of each group of 8.
     */

    /**
     * Per group of 8, bit k set means that element k is negative.
     */

    /**
     * High 2 bits of the entry numbers, four per byte, lowest first.
     */

    /**
     * 4-bit scales per 16 elements, low nibble first.
     */

    return BlockIq2S;
  })();

  /**
   * 256 elements in groups of 8, each a codebook entry (512 entries of 8, 25, 43) with signs,
   * and a 4-bit scale s per 16 elements. y = d * (0.5 + s) * 0.25 * entry.
   */

  var BlockIq2Xs = Ggml.BlockIq2Xs = (function() {
    function BlockIq2Xs(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq2Xs.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq2Xs.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = [];
      for (var i = 0; i < 32; i++) {
        this.qs.push(this._io.readU2le());
      }
      this.scales = this._io.readBytes(8);
    }
    BlockIq2Xs.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = [];
      for (var i = 0; i < 32; i++) {
        this.qs.push(this._io.readU2be());
      }
      this.scales = this._io.readBytes(8);
    }

    /**
     * Scale of the scales.
     */

    /**
     * Per group of 8, bits 0-8 are the entry number, bits 9-15 the sign index.
     */

    /**
     * 4-bit scales per 16 elements, low nibble first.
     */

    return BlockIq2Xs;
  })();

  /**
   * 256 elements in groups of 8, each a codebook entry (256 entries of 8, 25, 43) with signs,
   * and a 4-bit scale s per 32 elements. y = d * (0.5 + s) * 0.25 * entry.
   * A 7-bit sign index gives the signs of elements 0 to 6; element 7 makes their number even.
   */

  var BlockIq2Xxs = Ggml.BlockIq2Xxs = (function() {
    function BlockIq2Xxs(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq2Xxs.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq2Xxs.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = [];
      for (var i = 0; i < 16; i++) {
        this.qs.push(this._io.readU4le());
      }
    }
    BlockIq2Xxs.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = [];
      for (var i = 0; i < 16; i++) {
        this.qs.push(this._io.readU4be());
      }
    }

    /**
     * Scale of the scales.
     */

    /**
     * Pairs of words, one pair per 32 elements. First word, four entry numbers of 8 bits,
     * lowest first; second word, four sign indices of 7 bits, then the scale s in bits 28-31.
     * Declared as 32 half-words in C, never used as such.
     */

    return BlockIq2Xxs;
  })();

  /**
   * 256 elements in groups of 4, each a codebook entry (512 entries, odd numbers 1 to 15) with
   * signs, and a 4-bit scale s per 32 elements. y = d * (1 + 2s) * entry. The entry number of
   * group i is qs[i] plus 256 times bit i % 8 of qh[i / 8].
   */

  var BlockIq3S = Ggml.BlockIq3S = (function() {
    function BlockIq3S(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq3S.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq3S.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(64);
      this.qh = this._io.readBytes(8);
      this.signs = this._io.readBytes(32);
      this.scales = this._io.readBytes(4);
    }
    BlockIq3S.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(64);
      this.qh = this._io.readBytes(8);
      this.signs = this._io.readBytes(32);
      this.scales = this._io.readBytes(4);
    }

    /**
     * Scale of the scales.
     */

    /**
     * Low 8 bits of the entry number of each group of 4.
     */

    /**
     * High bits of the entry numbers, eight per byte, lowest first.
     */

    /**
     * Per 8 elements, bit k set means that element k is negative.
     */

    /**
     * 4-bit scales per 32 elements, low nibble first.
     */

    return BlockIq3S;
  })();

  /**
   * 256 elements in groups of 4, each a codebook entry (256 entries of 4 to 62) with signs,
   * and a 4-bit scale s per 32 elements. y = d * (0.5 + s) * 0.5 * entry.
   */

  var BlockIq3Xxs = Ggml.BlockIq3Xxs = (function() {
    function BlockIq3Xxs(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq3Xxs.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq3Xxs.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(64);
      this.sas = [];
      for (var i = 0; i < 8; i++) {
        this.sas.push(this._io.readU4le());
      }
    }
    BlockIq3Xxs.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(64);
      this.sas = [];
      for (var i = 0; i < 8; i++) {
        this.sas.push(this._io.readU4be());
      }
    }

    /**
     * Scale of the scales.
     */

    /**
     * Entry number of each group of 4.
     */

    /**
     * Scales and signs. Per 32 elements, four sign indices of 7 bits (one per 8 elements),
     * then the scale s in bits 28-31.
     */

    return BlockIq3Xxs;
  })();

  /**
   * 32 elements of 4 bits that index a table of 16 unevenly spaced integers (-127 to 113).
   * y = d * table[q], q in nibble order.
   */

  var BlockIq4Nl = Ggml.BlockIq4Nl = (function() {
    function BlockIq4Nl(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq4Nl.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq4Nl.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(16);
    }
    BlockIq4Nl.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale.
     */

    /**
     * 4-bit indices; byte j holds element j (low nibble) and element j + 16 (high).
     */

    return BlockIq4Nl;
  })();

  /**
   * 256 elements of 4 bits that index the table of block_iq4_nl, in 8 sub-blocks with 6-bit
   * scales. y[j] = d * (scale[j / 32] - 32) * table[q[j]]; sub-block k uses qs[16k..16k+15] in
   * nibble order.
   */

  var BlockIq4Xs = Ggml.BlockIq4Xs = (function() {
    function BlockIq4Xs(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockIq4Xs.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockIq4Xs.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.scalesH = this._io.readU2le();
      this.scalesL = this._io.readBytes(4);
      this.qs = this._io.readBytes(128);
    }
    BlockIq4Xs.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.scalesH = this._io.readU2be();
      this.scalesL = this._io.readBytes(4);
      this.qs = this._io.readBytes(128);
    }

    /**
     * Scale of the scales.
     */

    /**
     * High 2 bits of the scales, bits 2k and up for sub-block k.
     */

    /**
     * Low 4 bits of the scales, two per byte, low nibble first.
     */

    /**
     * 4-bit indices, 16 bytes per sub-block.
     */

    return BlockIq4Xs;
  })();

  /**
   * 32 floats of 4 bits (E2M1) with a power of two as scale, OCP microscaling MXFP4.
   * y = 2**(e - 127) * value, in nibble order; the values are 0 0.5 1 1.5 2 3 4 6 and the same
   * negated (code 8 is 0, without a sign). ggml decodes e = 255 as a number, OCP as NaN.
   */

  var BlockMxfp4 = Ggml.BlockMxfp4 = (function() {
    function BlockMxfp4(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockMxfp4.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockMxfp4.prototype._readLE = function() {
      this.e = this._io.readU1();
      this.qs = this._io.readBytes(16);
    }
    BlockMxfp4.prototype._readBE = function() {
      this.e = this._io.readU1();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Exponent of the scale, biased by 127.
     */

    /**
     * 4-bit floats; byte j holds element j (low nibble) and element j + 16 (high).
     */

    return BlockMxfp4;
  })();

  /**
   * 64 floats of 4 bits (E2M1) in four sub-blocks of 16 with an 8-bit float scale each.
   * y = d[k] * value; the values are those of block_mxfp4. Sub-block k uses qs[8k..8k+7] in
   * nibble order. A scale for the whole tensor, if any, is a tensor of its own.
   */

  var BlockNvfp4 = Ggml.BlockNvfp4 = (function() {
    function BlockNvfp4(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockNvfp4.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockNvfp4.prototype._readLE = function() {
      this.d = [];
      for (var i = 0; i < 4; i++) {
        this.d.push(this._io.readU1());
      }
      this.qs = this._io.readBytes(32);
    }
    BlockNvfp4.prototype._readBE = function() {
      this.d = [];
      for (var i = 0; i < 4; i++) {
        this.d.push(this._io.readU1());
      }
      this.qs = this._io.readBytes(32);
    }

    /**
     * Scale of each sub-block; 0x7f decodes to zero, bit 7 is ignored.
     */

    /**
     * 4-bit floats, 8 bytes per sub-block.
     */

    return BlockNvfp4;
  })();

  /**
   * 128 signs with one scale. y = +d where the bit is set, -d where it is not; element j is
   * bit j % 8, from the low end, of byte j / 8.
   */

  var BlockQ10 = Ggml.BlockQ10 = (function() {
    function BlockQ10(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ10.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ10.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(16);
    }
    BlockQ10.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale, the magnitude of every element.
     */

    /**
     * Sign bits, one per element.
     */

    return BlockQ10;
  })();

  /**
   * 64 elements of 2 bits with one scale. y = d * (v - 1) with v from 0 to 3; element j is
   * bits 2 * (j % 4) and up of byte j / 4.
   */

  var BlockQ20 = Ggml.BlockQ20 = (function() {
    function BlockQ20(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ20.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ20.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(16);
    }
    BlockQ20.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale.
     */

    /**
     * 2-bit values, four consecutive elements per byte, lowest bits first.
     */

    return BlockQ20;
  })();

  /**
   * 256 elements of 2 bits in 16 sub-blocks, each with a 4-bit scale and a 4-bit minimum.
   * y[j] = d * scale[j / 16] * q[j] - dmin * min[j / 16], q as planes of 2 bits over 32 bytes.
   */

  var BlockQ2K = Ggml.BlockQ2K = (function() {
    function BlockQ2K(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ2K.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ2K.prototype._readLE = function() {
      this.scales = this._io.readBytes(16);
      this.qs = this._io.readBytes(64);
      this.d = this._io.readU2le();
      this.dmin = this._io.readU2le();
    }
    BlockQ2K.prototype._readBE = function() {
      this.scales = this._io.readBytes(16);
      this.qs = this._io.readBytes(64);
      this.d = this._io.readU2be();
      this.dmin = this._io.readU2be();
    }

    /**
     * One byte per sub-block of 16, the scale in the low nibble, the minimum in the high.
     */

    /**
     * 2-bit values.
     */

    /**
     * Scale of the scales.
     */

    /**
     * Scale of the minimums.
     */

    return BlockQ2K;
  })();

  /**
   * 256 elements of 3 bits in 16 sub-blocks with 6-bit scales. y[j] = d * (scale[j / 16] - 32)
   * * q[j], where q is the 2-bit value (planes over 32 bytes), minus 4 if its bit in hmask
   * (planes of 1 bit over 32 bytes) is clear.
   */

  var BlockQ3K = Ggml.BlockQ3K = (function() {
    function BlockQ3K(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ3K.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ3K.prototype._readLE = function() {
      this.hmask = this._io.readBytes(32);
      this.qs = this._io.readBytes(64);
      this.scales = this._io.readBytes(12);
      this.d = this._io.readU2le();
    }
    BlockQ3K.prototype._readBE = function() {
      this.hmask = this._io.readBytes(32);
      this.qs = this._io.readBytes(64);
      this.scales = this._io.readBytes(12);
      this.d = this._io.readU2be();
    }

    /**
     * Third bits; bit k of byte i belongs to element 32 * k + i.
     */

    /**
     * Low 2 bits.
     */

    /**
     * 16 scales of 6 bits. The low four bits of scale k are a nibble of byte k % 8 (low for
     * k < 8, else high); the high two are bits 2 * (k / 4) and up of byte 8 + k % 4.
     */

    /**
     * Scale of the scales.
     */

    return BlockQ3K;
  })();

  /**
   * 32 elements of 4 bits with one scale. y = d * (q - 8), q in nibble order.
   */

  var BlockQ40 = Ggml.BlockQ40 = (function() {
    function BlockQ40(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ40.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ40.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = this._io.readBytes(16);
    }
    BlockQ40.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale.
     */

    /**
     * 4-bit values; byte j holds element j (low nibble) and element j + 16 (high).
     */

    return BlockQ40;
  })();

  /**
   * 32 elements of 4 bits with a scale and a minimum. y = d * q + m, q in nibble order.
   */

  var BlockQ41 = Ggml.BlockQ41 = (function() {
    function BlockQ41(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ41.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ41.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.m = this._io.readU2le();
      this.qs = this._io.readBytes(16);
    }
    BlockQ41.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.m = this._io.readU2be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale.
     */

    /**
     * Minimum. C shares d and m with one half2 word, but each is a half of its own.
     */

    /**
     * 4-bit values; byte j holds element j (low nibble) and element j + 16 (high).
     */

    return BlockQ41;
  })();

  /**
   * 256 elements of 4 bits in 8 sub-blocks, each with a 6-bit scale and a 6-bit minimum.
   * y[j] = d * scale[j / 32] * q[j] - dmin * min[j / 32], q as planes of 4 bits over 32 bytes.
   */

  var BlockQ4K = Ggml.BlockQ4K = (function() {
    function BlockQ4K(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ4K.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ4K.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.dmin = this._io.readU2le();
      this.scales = this._io.readBytes(12);
      this.qs = this._io.readBytes(128);
    }
    BlockQ4K.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.dmin = this._io.readU2be();
      this.scales = this._io.readBytes(12);
      this.qs = this._io.readBytes(128);
    }

    /**
     * Scale of the scales.
     */

    /**
     * Scale of the minimums.
     */

    /**
     * For k < 4: scale k = s[k] & 63, min k = s[k + 4] & 63. For k >= 4: scale k is
     * s[k + 4] & 15 with the top bits of s[k - 4] above, min k is s[k + 4] >> 4 with the top
     * bits of s[k] above.
     */

    /**
     * 4-bit values; each run of 32 bytes holds 32 low nibbles, then 32 high nibbles.
     */

    return BlockQ4K;
  })();

  /**
   * 32 elements of 5 bits with one scale. y = d * (q - 16), where q is the nibble (nibble
   * order) plus 16 times bit j of qh.
   */

  var BlockQ50 = Ggml.BlockQ50 = (function() {
    function BlockQ50(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ50.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ50.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qh = this._io.readU4le();
      this.qs = this._io.readBytes(16);
    }
    BlockQ50.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qh = this._io.readU4be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale.
     */

    /**
     * Fifth bits, bit j for element j. Declared as 4 bytes in C, used as one word.
     */

    /**
     * Low 4 bits; byte j holds element j (low nibble) and element j + 16 (high).
     */

    return BlockQ50;
  })();

  /**
   * 32 elements of 5 bits with a scale and a minimum. y = d * q + m, where q is the nibble
   * (nibble order) plus 16 times bit j of qh.
   */

  var BlockQ51 = Ggml.BlockQ51 = (function() {
    function BlockQ51(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ51.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ51.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.m = this._io.readU2le();
      this.qh = this._io.readU4le();
      this.qs = this._io.readBytes(16);
    }
    BlockQ51.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.m = this._io.readU2be();
      this.qh = this._io.readU4be();
      this.qs = this._io.readBytes(16);
    }

    /**
     * Scale.
     */

    /**
     * Minimum. C shares d and m with one half2 word, but each is a half of its own.
     */

    /**
     * Fifth bits, bit j for element j. Declared as 4 bytes in C, used as one word.
     */

    /**
     * Low 4 bits; byte j holds element j (low nibble) and element j + 16 (high).
     */

    return BlockQ51;
  })();

  /**
   * 256 elements of 5 bits in 8 sub-blocks with 6-bit scales and minimums.
   * y[j] = d * scale[j / 32] * q[j] - dmin * min[j / 32], where q is the nibble (planes over
   * 32 bytes) plus 16 times its bit in qh (planes of 1 bit over 32 bytes).
   */

  var BlockQ5K = Ggml.BlockQ5K = (function() {
    function BlockQ5K(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ5K.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ5K.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.dmin = this._io.readU2le();
      this.scales = this._io.readBytes(12);
      this.qh = this._io.readBytes(32);
      this.qs = this._io.readBytes(128);
    }
    BlockQ5K.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.dmin = this._io.readU2be();
      this.scales = this._io.readBytes(12);
      this.qh = this._io.readBytes(32);
      this.qs = this._io.readBytes(128);
    }

    /**
     * Scale of the scales.
     */

    /**
     * Scale of the minimums.
     */

    /**
     * 6-bit scales and minimums, packed as in block_q4_k.
     */

    /**
     * Fifth bits; bit k of byte i belongs to element 32 * k + i.
     */

    /**
     * Low 4 bits; each run of 32 bytes holds 32 low nibbles, then 32 high nibbles.
     */

    return BlockQ5K;
  })();

  /**
   * 256 elements of 6 bits in 16 sub-blocks with 8-bit scales. y[j] = d * scale[j / 16] *
   * (q[j] - 32), where q is the nibble (planes over 64 bytes) plus 16 times the 2-bit value of
   * qh (planes over 32 bytes).
   */

  var BlockQ6K = Ggml.BlockQ6K = (function() {
    function BlockQ6K(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ6K.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ6K.prototype._readLE = function() {
      this.ql = this._io.readBytes(128);
      this.qh = this._io.readBytes(64);
      this.scales = [];
      for (var i = 0; i < 16; i++) {
        this.scales.push(this._io.readS1());
      }
      this.d = this._io.readU2le();
    }
    BlockQ6K.prototype._readBE = function() {
      this.ql = this._io.readBytes(128);
      this.qh = this._io.readBytes(64);
      this.scales = [];
      for (var i = 0; i < 16; i++) {
        this.scales.push(this._io.readS1());
      }
      this.d = this._io.readU2be();
    }

    /**
     * Low 4 bits; each run of 64 bytes holds 64 low nibbles, then 64 high nibbles.
     */

    /**
     * High 2 bits; each run of 32 bytes holds four planes of 32 values.
     */

    /**
     * Signed scale of each sub-block of 16.
     */

    /**
     * Scale of the scales.
     */

    return BlockQ6K;
  })();

  /**
   * 32 signed bytes with one scale. y = d * q.
   */

  var BlockQ80 = Ggml.BlockQ80 = (function() {
    function BlockQ80(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ80.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ80.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.qs = [];
      for (var i = 0; i < 32; i++) {
        this.qs.push(this._io.readS1());
      }
    }
    BlockQ80.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.qs = [];
      for (var i = 0; i < 32; i++) {
        this.qs.push(this._io.readS1());
      }
    }

    /**
     * Scale.
     */

    /**
     * 8-bit values, one per element.
     */

    return BlockQ80;
  })();

  /**
   * 32 signed bytes with one scale and a helper sum. y = d * q. Made for activations during
   * dot products, not expected in files. Before 2024 it had two single floats (40 bytes).
   */

  var BlockQ81 = Ggml.BlockQ81 = (function() {
    function BlockQ81(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ81.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ81.prototype._readLE = function() {
      this.d = this._io.readU2le();
      this.s = this._io.readU2le();
      this.qs = [];
      for (var i = 0; i < 32; i++) {
        this.qs.push(this._io.readS1());
      }
    }
    BlockQ81.prototype._readBE = function() {
      this.d = this._io.readU2be();
      this.s = this._io.readU2be();
      this.qs = [];
      for (var i = 0; i < 32; i++) {
        this.qs.push(this._io.readS1());
      }
    }

    /**
     * Scale.
     */

    /**
     * d times the sum of all values; not needed to decode.
     */

    /**
     * 8-bit values, one per element.
     */

    return BlockQ81;
  })();

  /**
   * 256 signed bytes with one single-precision scale. y = d * q. Made for activations during
   * dot products, not expected in files.
   */

  var BlockQ8K = Ggml.BlockQ8K = (function() {
    function BlockQ8K(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockQ8K.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockQ8K.prototype._readLE = function() {
      this.d = this._io.readF4le();
      this.qs = [];
      for (var i = 0; i < 256; i++) {
        this.qs.push(this._io.readS1());
      }
      this.bsums = [];
      for (var i = 0; i < 16; i++) {
        this.bsums.push(this._io.readS2le());
      }
    }
    BlockQ8K.prototype._readBE = function() {
      this.d = this._io.readF4be();
      this.qs = [];
      for (var i = 0; i < 256; i++) {
        this.qs.push(this._io.readS1());
      }
      this.bsums = [];
      for (var i = 0; i < 16; i++) {
        this.bsums.push(this._io.readS2be());
      }
    }

    /**
     * Scale.
     */

    /**
     * 8-bit values, one per element.
     */

    /**
     * Sums of 16 consecutive values; not needed to decode.
     */

    return BlockQ8K;
  })();

  /**
   * 256 ternary elements, five to a byte as base-3 digits in fixed point. Digit i of byte b is
   * (3 * (b * 3**i % 256)) >> 8; y = d * (digit - 1). Each group of bytes lists digit 0 of all
   * its bytes, then digit 1, and so on. Groups are qs[0..31], qs[32..47], qh.
   */

  var BlockTq10 = Ggml.BlockTq10 = (function() {
    function BlockTq10(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockTq10.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockTq10.prototype._readLE = function() {
      this.qs = this._io.readBytes(48);
      this.qh = this._io.readBytes(4);
      this.d = this._io.readU2le();
    }
    BlockTq10.prototype._readBE = function() {
      this.qs = this._io.readBytes(48);
      this.qh = this._io.readBytes(4);
      this.d = this._io.readU2be();
    }

    /**
     * Five digits per byte, as a group of 32 bytes and a group of 16.
     */

    /**
     * Four digits per byte, the last 16 elements.
     */

    /**
     * Scale.
     */

    return BlockTq10;
  })();

  /**
   * 256 ternary elements of 2 bits. y = d * (q - 1), q as planes of 2 bits over 32 bytes.
   * Writers never store 3; it would decode to 2 * d.
   */

  var BlockTq20 = Ggml.BlockTq20 = (function() {
    function BlockTq20(_io, _parent, _root, _is_le) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;
      this._is_le = _is_le;

      this._read();
    }
    BlockTq20.prototype._read = function() {

      if (this._is_le === true) {
        this._readLE();
      } else if (this._is_le === false) {
        this._readBE();
      } else {
        throw new KaitaiStream.UndecidedEndiannessError();
      }
    }
    BlockTq20.prototype._readLE = function() {
      this.qs = this._io.readBytes(64);
      this.d = this._io.readU2le();
    }
    BlockTq20.prototype._readBE = function() {
      this.qs = this._io.readBytes(64);
      this.d = this._io.readU2be();
    }

    /**
     * 2-bit values.
     */

    /**
     * Scale.
     */

    return BlockTq20;
  })();

  /**
   * Elements that one block of this type holds; 0 for a type without a known layout.
   */
  Object.defineProperty(Ggml.prototype, 'numElementsPerBlock', {
    get: function() {
      if (this._m_numElementsPerBlock !== undefined)
        return this._m_numElementsPerBlock;
      this._m_numElementsPerBlock = ( ((this.ggmlType == Ggml.GgmlType.F32) || (this.ggmlType == Ggml.GgmlType.F16) || (this.ggmlType == Ggml.GgmlType.I8) || (this.ggmlType == Ggml.GgmlType.I16) || (this.ggmlType == Ggml.GgmlType.I32) || (this.ggmlType == Ggml.GgmlType.I64) || (this.ggmlType == Ggml.GgmlType.F64) || (this.ggmlType == Ggml.GgmlType.BF16))  ? 1 : ( ((this.ggmlType == Ggml.GgmlType.Q4_0) || (this.ggmlType == Ggml.GgmlType.Q4_1) || (this.ggmlType == Ggml.GgmlType.Q5_0) || (this.ggmlType == Ggml.GgmlType.Q5_1) || (this.ggmlType == Ggml.GgmlType.Q8_0) || (this.ggmlType == Ggml.GgmlType.Q8_1) || (this.ggmlType == Ggml.GgmlType.IQ4_NL) || (this.ggmlType == Ggml.GgmlType.MXFP4))  ? 32 : ( ((this.ggmlType == Ggml.GgmlType.NVFP4) || (this.ggmlType == Ggml.GgmlType.Q2_0))  ? 64 : (this.ggmlType == Ggml.GgmlType.Q1_0 ? 128 : ( ((this.ggmlType == Ggml.GgmlType.Q2_K) || (this.ggmlType == Ggml.GgmlType.Q3_K) || (this.ggmlType == Ggml.GgmlType.Q4_K) || (this.ggmlType == Ggml.GgmlType.Q5_K) || (this.ggmlType == Ggml.GgmlType.Q6_K) || (this.ggmlType == Ggml.GgmlType.Q8_K) || (this.ggmlType == Ggml.GgmlType.IQ2_XXS) || (this.ggmlType == Ggml.GgmlType.IQ2_XS) || (this.ggmlType == Ggml.GgmlType.IQ3_XXS) || (this.ggmlType == Ggml.GgmlType.IQ1_S) || (this.ggmlType == Ggml.GgmlType.IQ3_S) || (this.ggmlType == Ggml.GgmlType.IQ2_S) || (this.ggmlType == Ggml.GgmlType.IQ4_XS) || (this.ggmlType == Ggml.GgmlType.IQ1_M) || (this.ggmlType == Ggml.GgmlType.TQ1_0) || (this.ggmlType == Ggml.GgmlType.TQ2_0))  ? 256 : 0)))));
      return this._m_numElementsPerBlock;
    }
  });

  /**
   * The blocks, in storage order. Absent when the layout of the type is unknown or gone.
   */

  /**
   * Element type of the tensor.
   */

  /**
   * Number of elements of the tensor, the product of its dimensions.
   */

  /**
   * Whether multi-byte fields are big-endian.
   */

  return Ggml;
})();
Ggml_.Ggml = Ggml;
});
