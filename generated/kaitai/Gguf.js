// This is a generated file! Please edit source .ksy file and use kaitai-struct-compiler to rebuild

(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports', 'kaitai-struct/KaitaiStream', './Ggml'], factory);
  } else if (typeof exports === 'object' && exports !== null && typeof exports.nodeType !== 'number') {
    factory(exports, require('kaitai-struct/KaitaiStream'), require('./Ggml'));
  } else {
    factory(root.Gguf || (root.Gguf = {}), root.KaitaiStream, root.Ggml || (root.Ggml = {}));
  }
})(typeof self !== 'undefined' ? self : this, function (Gguf_, KaitaiStream, Ggml_) {
/**
 * GGUF is the file format in which llama.cpp, Ollama, LM Studio and other users of the ggml
 * library keep language models. A small header (typed key-value metadata and a table of
 * tensors) is followed by the data section: the aligned, usually quantised tensor data.
 * 
 * Versions 1 to 3 are covered. Version 1 has 32-bit counts, lengths and dimensions, versions
 * 2 and 3 have 64-bit ones. Version 3 introduced big-endian files. No field says which byte
 * order a file has: the magic never changes, but the version number, read in the wrong order,
 * has a zero low half.
 * 
 * Keys that start with `-` are for the code generator of gguf-construct: `-limit` names the
 * safety limit of a count, `-label` the field that names an item in error messages, `-lazy`
 * an array that is kept as a view of the file. A field may be one of some versions only
 * (`if: version >= 4`); `-default` is its value in the others, 0 or no text where nothing
 * is stated. `-since` is the version that brought a member of an enum. `-facts` are the
 * decisions that no field expresses.
 * @see {@link https://github.com/ggml-org/ggml/blob/d99724f2/docs/gguf.md|Source}
 */

var Gguf = (function() {
  function Gguf(_io, _parent, _root) {
    this._io = _io;
    this._parent = _parent;
    this._root = _root || this;

    this._read();
  }
  Gguf.prototype._read = function() {
    this.magic = this._io.readBytes(4);
    if (!((KaitaiStream.byteArrayCompare(this.magic, new Uint8Array([71, 71, 85, 70])) == 0))) {
      throw new KaitaiStream.ValidationNotEqualError(new Uint8Array([71, 71, 85, 70]), this.magic, this._io, "/seq/0");
    }
    this.body = new Body(this._io, this, this._root);
  }

  /**
   * The whole file after the magic. All types that depend on the byte order are nested here.
   */

  var Body = Gguf.Body = (function() {
    Body.ValueType = Object.freeze({
      UINT8: 0,
      INT8: 1,
      UINT16: 2,
      INT16: 3,
      UINT32: 4,
      INT32: 5,
      FLOAT32: 6,
      BOOL: 7,
      STRING: 8,
      ARRAY: 9,
      UINT64: 10,
      INT64: 11,
      FLOAT64: 12,

      0: "UINT8",
      1: "INT8",
      2: "UINT16",
      3: "INT16",
      4: "UINT32",
      5: "INT32",
      6: "FLOAT32",
      7: "BOOL",
      8: "STRING",
      9: "ARRAY",
      10: "UINT64",
      11: "INT64",
      12: "FLOAT64",
    });

    function Body(_io, _parent, _root) {
      this._io = _io;
      this._parent = _parent;
      this._root = _root;

      this._read();
    }
    Body.prototype._read = function() {
      switch (this._root.isBe) {
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
    Body.prototype._readLE = function() {
      this.version = this._io.readU4le();
      if (!( ((this.version == 1) || (this.version == 2) || (this.version == 3)) )) {
        throw new KaitaiStream.ValidationNotAnyOfError(this.version, this._io, "/types/body/seq/0");
      }
      this.numTensors = new Size(this._io, this, this._root, this._is_le);
      this.numMetadata = new Size(this._io, this, this._root, this._is_le);
      this.metadata = [];
      for (var i = 0; i < this.numMetadata.value; i++) {
        this.metadata.push(new MetadataKv(this._io, this, this._root, this._is_le, (i > 0 ? this.metadata[i - 1].alignment : this.defaultAlignment)));
      }
      this.tensorInfos = [];
      for (var i = 0; i < this.numTensors.value; i++) {
        this.tensorInfos.push(new TensorInfo(this._io, this, this._root, this._is_le));
      }
      if (this.ofsHeaderEnd >= 0) {
        this.headerEnd = this._io.readBytes(0);
      }
    }
    Body.prototype._readBE = function() {
      this.version = this._io.readU4be();
      if (!( ((this.version == 1) || (this.version == 2) || (this.version == 3)) )) {
        throw new KaitaiStream.ValidationNotAnyOfError(this.version, this._io, "/types/body/seq/0");
      }
      this.numTensors = new Size(this._io, this, this._root, this._is_le);
      this.numMetadata = new Size(this._io, this, this._root, this._is_le);
      this.metadata = [];
      for (var i = 0; i < this.numMetadata.value; i++) {
        this.metadata.push(new MetadataKv(this._io, this, this._root, this._is_le, (i > 0 ? this.metadata[i - 1].alignment : this.defaultAlignment)));
      }
      this.tensorInfos = [];
      for (var i = 0; i < this.numTensors.value; i++) {
        this.tensorInfos.push(new TensorInfo(this._io, this, this._root, this._is_le));
      }
      if (this.ofsHeaderEnd >= 0) {
        this.headerEnd = this._io.readBytes(0);
      }
    }

    /**
     * Elements of one type, back to back without padding. Elements may be arrays themselves.
     */

    var Array = Body.Array = (function() {
      function Array(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      Array.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      Array.prototype._readLE = function() {
        this.elementType = this._io.readU4le();
        if (!Object.prototype.hasOwnProperty.call(Gguf.Body.ValueType, this.elementType)) {
          throw new KaitaiStream.ValidationNotInEnumError(this.elementType, this._io, "/types/body/types/array/seq/0");
        }
        this.numElements = new Size(this._io, this, this._root, this._is_le);
        this.elements = [];
        for (var i = 0; i < this.numElements.value; i++) {
          switch (this.elementType) {
          case Gguf.Body.ValueType.ARRAY:
            this.elements.push(new Array(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.BOOL:
            this.elements.push(new ScalarBool(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.FLOAT32:
            this.elements.push(new ScalarFloat32(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.FLOAT64:
            this.elements.push(new ScalarFloat64(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT16:
            this.elements.push(new ScalarInt16(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT32:
            this.elements.push(new ScalarInt32(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT64:
            this.elements.push(new ScalarInt64(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT8:
            this.elements.push(new ScalarInt8(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.STRING:
            this.elements.push(new String(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT16:
            this.elements.push(new ScalarUint16(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT32:
            this.elements.push(new ScalarUint32(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT64:
            this.elements.push(new ScalarUint64(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT8:
            this.elements.push(new ScalarUint8(this._io, this, this._root, this._is_le));
            break;
          }
        }
      }
      Array.prototype._readBE = function() {
        this.elementType = this._io.readU4be();
        if (!Object.prototype.hasOwnProperty.call(Gguf.Body.ValueType, this.elementType)) {
          throw new KaitaiStream.ValidationNotInEnumError(this.elementType, this._io, "/types/body/types/array/seq/0");
        }
        this.numElements = new Size(this._io, this, this._root, this._is_le);
        this.elements = [];
        for (var i = 0; i < this.numElements.value; i++) {
          switch (this.elementType) {
          case Gguf.Body.ValueType.ARRAY:
            this.elements.push(new Array(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.BOOL:
            this.elements.push(new ScalarBool(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.FLOAT32:
            this.elements.push(new ScalarFloat32(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.FLOAT64:
            this.elements.push(new ScalarFloat64(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT16:
            this.elements.push(new ScalarInt16(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT32:
            this.elements.push(new ScalarInt32(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT64:
            this.elements.push(new ScalarInt64(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.INT8:
            this.elements.push(new ScalarInt8(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.STRING:
            this.elements.push(new String(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT16:
            this.elements.push(new ScalarUint16(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT32:
            this.elements.push(new ScalarUint32(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT64:
            this.elements.push(new ScalarUint64(this._io, this, this._root, this._is_le));
            break;
          case Gguf.Body.ValueType.UINT8:
            this.elements.push(new ScalarUint8(this._io, this, this._root, this._is_le));
            break;
          }
        }
      }

      /**
       * The type of every element.
       */

      /**
       * Number of elements, not bytes; may be zero.
       */

      /**
       * The elements.
       */

      return Array;
    })();

    /**
     * A dimension of a tensor; it hands the number of elements so far on to the next one.
     */

    var Dimension = Body.Dimension = (function() {
      function Dimension(_io, _parent, _root, _is_le, numElementsBefore) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;
        this.numElementsBefore = numElementsBefore;

        this._read();
      }
      Dimension.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      Dimension.prototype._readLE = function() {
        this.value = new Size(this._io, this, this._root, this._is_le);
      }
      Dimension.prototype._readBE = function() {
        this.value = new Size(this._io, this, this._root, this._is_le);
      }

      /**
       * Product of the dimensions up to this one.
       */
      Object.defineProperty(Dimension.prototype, 'numElements', {
        get: function() {
          if (this._m_numElements !== undefined)
            return this._m_numElements;
          this._m_numElements = this.numElementsBefore * this.value.value;
          return this._m_numElements;
        }
      });

      /**
       * Number of elements along this dimension.
       */

      /**
       * Product of the dimensions before this one.
       */

      return Dimension;
    })();

    /**
     * A metadata pair. Kaitai cannot look a key up in a list, so each pair hands the alignment on to the next.
     */

    var MetadataKv = Body.MetadataKv = (function() {
      function MetadataKv(_io, _parent, _root, _is_le, alignmentBefore) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;
        this.alignmentBefore = alignmentBefore;

        this._read();
      }
      MetadataKv.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      MetadataKv.prototype._readLE = function() {
        this.key = new String(this._io, this, this._root, this._is_le);
        this.valueType = this._io.readU4le();
        if (!Object.prototype.hasOwnProperty.call(Gguf.Body.ValueType, this.valueType)) {
          throw new KaitaiStream.ValidationNotInEnumError(this.valueType, this._io, "/types/body/types/metadata_kv/seq/1");
        }
        switch (this.valueType) {
        case Gguf.Body.ValueType.ARRAY:
          this.value = new Array(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.BOOL:
          this.value = new ScalarBool(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.FLOAT32:
          this.value = new ScalarFloat32(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.FLOAT64:
          this.value = new ScalarFloat64(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT16:
          this.value = new ScalarInt16(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT32:
          this.value = new ScalarInt32(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT64:
          this.value = new ScalarInt64(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT8:
          this.value = new ScalarInt8(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.STRING:
          this.value = new String(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT16:
          this.value = new ScalarUint16(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT32:
          this.value = new ScalarUint32(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT64:
          this.value = new ScalarUint64(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT8:
          this.value = new ScalarUint8(this._io, this, this._root, this._is_le);
          break;
        }
      }
      MetadataKv.prototype._readBE = function() {
        this.key = new String(this._io, this, this._root, this._is_le);
        this.valueType = this._io.readU4be();
        if (!Object.prototype.hasOwnProperty.call(Gguf.Body.ValueType, this.valueType)) {
          throw new KaitaiStream.ValidationNotInEnumError(this.valueType, this._io, "/types/body/types/metadata_kv/seq/1");
        }
        switch (this.valueType) {
        case Gguf.Body.ValueType.ARRAY:
          this.value = new Array(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.BOOL:
          this.value = new ScalarBool(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.FLOAT32:
          this.value = new ScalarFloat32(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.FLOAT64:
          this.value = new ScalarFloat64(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT16:
          this.value = new ScalarInt16(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT32:
          this.value = new ScalarInt32(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT64:
          this.value = new ScalarInt64(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.INT8:
          this.value = new ScalarInt8(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.STRING:
          this.value = new String(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT16:
          this.value = new ScalarUint16(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT32:
          this.value = new ScalarUint32(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT64:
          this.value = new ScalarUint64(this._io, this, this._root, this._is_le);
          break;
        case Gguf.Body.ValueType.UINT8:
          this.value = new ScalarUint8(this._io, this, this._root, this._is_le);
          break;
        }
      }

      /**
       * The alignment in force after this pair; an alignment of zero cannot be used and is passed over.
       */
      Object.defineProperty(MetadataKv.prototype, 'alignment', {
        get: function() {
          if (this._m_alignment !== undefined)
            return this._m_alignment;
          this._m_alignment = ( ((this.isAlignment) && (this.value.value > 0))  ? this.value.value : this.alignmentBefore);
          return this._m_alignment;
        }
      });

      /**
       * True for the key general.alignment (spelled in ASCII codes) of the only type that readers accept for it.
       */
      Object.defineProperty(MetadataKv.prototype, 'isAlignment', {
        get: function() {
          if (this._m_isAlignment !== undefined)
            return this._m_isAlignment;
          this._m_isAlignment =  ((this.valueType == Gguf.Body.ValueType.UINT32) && ((KaitaiStream.byteArrayCompare(this.key.value, new Uint8Array([103, 101, 110, 101, 114, 97, 108, 46, 97, 108, 105, 103, 110, 109, 101, 110, 116])) == 0))) ;
          return this._m_isAlignment;
        }
      });

      /**
       * The name, dotted lower snake case such as general.architecture.
       */

      /**
       * What follows.
       */

      /**
       * The value.
       */

      /**
       * The alignment in force before this pair.
       */

      return MetadataKv;
    })();

    /**
     * A truth value in one byte; 0 and 1 by the specification, any byte but 0 counts as true in practice.
     */

    var ScalarBool = Body.ScalarBool = (function() {
      function ScalarBool(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarBool.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarBool.prototype._readLE = function() {
        this.value = this._io.readU1();
      }
      ScalarBool.prototype._readBE = function() {
        this.value = this._io.readU1();
      }

      /**
       * The byte.
       */

      return ScalarBool;
    })();

    /**
     * An IEEE 754 single.
     */

    var ScalarFloat32 = Body.ScalarFloat32 = (function() {
      function ScalarFloat32(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarFloat32.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarFloat32.prototype._readLE = function() {
        this.value = this._io.readF4le();
      }
      ScalarFloat32.prototype._readBE = function() {
        this.value = this._io.readF4be();
      }

      /**
       * The number.
       */

      return ScalarFloat32;
    })();

    /**
     * An IEEE 754 double.
     */

    var ScalarFloat64 = Body.ScalarFloat64 = (function() {
      function ScalarFloat64(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarFloat64.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarFloat64.prototype._readLE = function() {
        this.value = this._io.readF8le();
      }
      ScalarFloat64.prototype._readBE = function() {
        this.value = this._io.readF8be();
      }

      /**
       * The number.
       */

      return ScalarFloat64;
    })();

    /**
     * A signed 16-bit integer.
     */

    var ScalarInt16 = Body.ScalarInt16 = (function() {
      function ScalarInt16(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarInt16.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarInt16.prototype._readLE = function() {
        this.value = this._io.readS2le();
      }
      ScalarInt16.prototype._readBE = function() {
        this.value = this._io.readS2be();
      }

      /**
       * The number.
       */

      return ScalarInt16;
    })();

    /**
     * A signed 32-bit integer.
     */

    var ScalarInt32 = Body.ScalarInt32 = (function() {
      function ScalarInt32(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarInt32.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarInt32.prototype._readLE = function() {
        this.value = this._io.readS4le();
      }
      ScalarInt32.prototype._readBE = function() {
        this.value = this._io.readS4be();
      }

      /**
       * The number.
       */

      return ScalarInt32;
    })();

    /**
     * A signed 64-bit integer.
     */

    var ScalarInt64 = Body.ScalarInt64 = (function() {
      function ScalarInt64(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarInt64.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarInt64.prototype._readLE = function() {
        this.value = this._io.readS8le();
      }
      ScalarInt64.prototype._readBE = function() {
        this.value = this._io.readS8be();
      }

      /**
       * The number.
       */

      return ScalarInt64;
    })();

    /**
     * A signed 8-bit integer.
     */

    var ScalarInt8 = Body.ScalarInt8 = (function() {
      function ScalarInt8(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarInt8.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarInt8.prototype._readLE = function() {
        this.value = this._io.readS1();
      }
      ScalarInt8.prototype._readBE = function() {
        this.value = this._io.readS1();
      }

      /**
       * The number.
       */

      return ScalarInt8;
    })();

    /**
     * An unsigned 16-bit integer.
     */

    var ScalarUint16 = Body.ScalarUint16 = (function() {
      function ScalarUint16(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarUint16.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarUint16.prototype._readLE = function() {
        this.value = this._io.readU2le();
      }
      ScalarUint16.prototype._readBE = function() {
        this.value = this._io.readU2be();
      }

      /**
       * The number.
       */

      return ScalarUint16;
    })();

    /**
     * An unsigned 32-bit integer.
     */

    var ScalarUint32 = Body.ScalarUint32 = (function() {
      function ScalarUint32(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarUint32.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarUint32.prototype._readLE = function() {
        this.value = this._io.readU4le();
      }
      ScalarUint32.prototype._readBE = function() {
        this.value = this._io.readU4be();
      }

      /**
       * The number.
       */

      return ScalarUint32;
    })();

    /**
     * An unsigned 64-bit integer.
     */

    var ScalarUint64 = Body.ScalarUint64 = (function() {
      function ScalarUint64(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarUint64.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarUint64.prototype._readLE = function() {
        this.value = this._io.readU8le();
      }
      ScalarUint64.prototype._readBE = function() {
        this.value = this._io.readU8be();
      }

      /**
       * The number.
       */

      return ScalarUint64;
    })();

    /**
     * An unsigned 8-bit integer.
     */

    var ScalarUint8 = Body.ScalarUint8 = (function() {
      function ScalarUint8(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      ScalarUint8.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      ScalarUint8.prototype._readLE = function() {
        this.value = this._io.readU1();
      }
      ScalarUint8.prototype._readBE = function() {
        this.value = this._io.readU1();
      }

      /**
       * The number.
       */

      return ScalarUint8;
    })();

    /**
     * A count or a length; 32 bits in version 1, 64 bits since version 2.
     */

    var Size = Body.Size = (function() {
      function Size(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      Size.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      Size.prototype._readLE = function() {
        switch (this._root.version) {
        case 1:
          this.value = this._io.readU4le();
          break;
        default:
          this.value = this._io.readU8le();
          break;
        }
      }
      Size.prototype._readBE = function() {
        switch (this._root.version) {
        case 1:
          this.value = this._io.readU4be();
          break;
        default:
          this.value = this._io.readU8be();
          break;
        }
      }

      /**
       * The number.
       */

      return Size;
    })();

    /**
     * Bytes with their length in front and no terminator. UTF-8 by the specification, which no reader checks.
     */

    var String = Body.String = (function() {
      function String(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      String.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      String.prototype._readLE = function() {
        this.lenValue = new Size(this._io, this, this._root, this._is_le);
        this.value = this._io.readBytes(this.lenValue.value);
      }
      String.prototype._readBE = function() {
        this.lenValue = new Size(this._io, this, this._root, this._is_le);
        this.value = this._io.readBytes(this.lenValue.value);
      }

      /**
       * Length of the text in bytes.
       */

      /**
       * The text; may hold NUL and, in real files, bytes that are not UTF-8.
       */

      return String;
    })();

    /**
     * Where a tensor lies and what is in it.
     */

    var TensorInfo = Body.TensorInfo = (function() {
      function TensorInfo(_io, _parent, _root, _is_le) {
        this._io = _io;
        this._parent = _parent;
        this._root = _root;
        this._is_le = _is_le;

        this._read();
      }
      TensorInfo.prototype._read = function() {

        if (this._is_le === true) {
          this._readLE();
        } else if (this._is_le === false) {
          this._readBE();
        } else {
          throw new KaitaiStream.UndecidedEndiannessError();
        }
      }
      TensorInfo.prototype._readLE = function() {
        this.name = new String(this._io, this, this._root, this._is_le);
        this.numDims = this._io.readU4le();
        this.dims = [];
        for (var i = 0; i < this.numDims; i++) {
          this.dims.push(new Dimension(this._io, this, this._root, this._is_le, (i > 0 ? this.dims[i - 1].numElements : 1)));
        }
        this.ggmlType = this._io.readU4le();
        this.ofsData = this._io.readU8le();
      }
      TensorInfo.prototype._readBE = function() {
        this.name = new String(this._io, this, this._root, this._is_le);
        this.numDims = this._io.readU4be();
        this.dims = [];
        for (var i = 0; i < this.numDims; i++) {
          this.dims.push(new Dimension(this._io, this, this._root, this._is_le, (i > 0 ? this.dims[i - 1].numElements : 1)));
        }
        this.ggmlType = this._io.readU4be();
        this.ofsData = this._io.readU8be();
      }

      /**
       * The tensor data, block by block.
       */
      Object.defineProperty(TensorInfo.prototype, 'data', {
        get: function() {
          if (this._m_data !== undefined)
            return this._m_data;
          var _pos = this._io.pos;
          this._io.seek(this._root.body.ofsData + this.ofsData);
          if (this._is_le) {
            this._m_data = new Ggml_.Ggml(this._io, null, null, this.ggmlType, this.numElements, this._root.isBe);
          } else {
            this._m_data = new Ggml_.Ggml(this._io, null, null, this.ggmlType, this.numElements, this._root.isBe);
          }
          this._io.seek(_pos);
          return this._m_data;
        }
      });

      /**
       * Number of elements of the tensor; a scalar has one.
       */
      Object.defineProperty(TensorInfo.prototype, 'numElements', {
        get: function() {
          if (this._m_numElements !== undefined)
            return this._m_numElements;
          this._m_numElements = (this.numDims > 0 ? this.dims[this.numDims - 1].numElements : 1);
          return this._m_numElements;
        }
      });

      /**
       * The name, at most 63 bytes for ggml, unique in a sound file.
       */

      /**
       * Number of dimensions, 1 to 4 in practice; 0 is a scalar.
       */

      /**
       * The dimensions in file order, the fastest varying one first (the reverse of numpy's order).
       */

      /**
       * How the elements are stored.
       */

      /**
       * Where the data begins, counted from the start of the data section; a multiple of the alignment.
       */

      return TensorInfo;
    })();

    /**
     * The data section and every tensor in it start at a multiple of this.
     */
    Object.defineProperty(Body.prototype, 'alignment', {
      get: function() {
        if (this._m_alignment !== undefined)
          return this._m_alignment;
        this._m_alignment = (this.numMetadata.value > 0 ? this.metadata[this.numMetadata.value - 1].alignment : this.defaultAlignment);
        return this._m_alignment;
      }
    });

    /**
     * The tensor data as opaque bytes, to the end of the file.
     */
    Object.defineProperty(Body.prototype, 'dataSection', {
      get: function() {
        if (this._m_dataSection !== undefined)
          return this._m_dataSection;
        if (this.ofsData <= this._io.size) {
          var _pos = this._io.pos;
          this._io.seek(this.ofsData);
          if (this._is_le) {
            this._m_dataSection = this._io.readBytesFull();
          } else {
            this._m_dataSection = this._io.readBytesFull();
          }
          this._io.seek(_pos);
        }
        return this._m_dataSection;
      }
    });

    /**
     * Alignment of a file without the key general.alignment.
     */
    Object.defineProperty(Body.prototype, 'defaultAlignment', {
      get: function() {
        if (this._m_defaultAlignment !== undefined)
          return this._m_defaultAlignment;
        this._m_defaultAlignment = 32;
        return this._m_defaultAlignment;
      }
    });

    /**
     * Absolute position of the data section, which tensor offsets count from.
     */
    Object.defineProperty(Body.prototype, 'ofsData', {
      get: function() {
        if (this._m_ofsData !== undefined)
          return this._m_ofsData;
        this._m_ofsData = Math.floor(((this.ofsHeaderEnd + this.alignment) - 1) / this.alignment) * this.alignment;
        return this._m_ofsData;
      }
    });

    /**
     * Absolute position of the first byte after the tensor infos.
     */
    Object.defineProperty(Body.prototype, 'ofsHeaderEnd', {
      get: function() {
        if (this._m_ofsHeaderEnd !== undefined)
          return this._m_ofsHeaderEnd;
        this._m_ofsHeaderEnd = this._io.pos;
        return this._m_ofsHeaderEnd;
      }
    });

    /**
     * Filler between the header and the data section; written as zeros, never read.
     */
    Object.defineProperty(Body.prototype, 'padding', {
      get: function() {
        if (this._m_padding !== undefined)
          return this._m_padding;
        if (this.ofsData <= this._io.size) {
          var _pos = this._io.pos;
          this._io.seek(this.ofsHeaderEnd);
          if (this._is_le) {
            this._m_padding = this._io.readBytes(this.ofsData - this.ofsHeaderEnd);
          } else {
            this._m_padding = this._io.readBytes(this.ofsData - this.ofsHeaderEnd);
          }
          this._io.seek(_pos);
        }
        return this._m_padding;
      }
    });

    /**
     * Version of the format. 1 has 32-bit counts, 3 allows big-endian files.
     */

    /**
     * Number of tensor infos.
     */

    /**
     * Number of metadata pairs.
     */

    /**
     * The metadata pairs, in file order. Keys are unique in a sound file.
     */

    /**
     * One entry per tensor, in file order.
     */

    /**
     * Takes no bytes; it fixes `ofs_header_end` while the reader is at this place.
     */

    return Body;
  })();

  /**
   * True in a big-endian file; a small version has its low half zero when read the wrong way round.
   */
  Object.defineProperty(Gguf.prototype, 'isBe', {
    get: function() {
      if (this._m_isBe !== undefined)
        return this._m_isBe;
      this._m_isBe = (this.versionLe & 65535) == 0;
      return this._m_isBe;
    }
  });

  /**
   * The version in the byte order of the file.
   */
  Object.defineProperty(Gguf.prototype, 'version', {
    get: function() {
      if (this._m_version !== undefined)
        return this._m_version;
      this._m_version = (this.isBe ? this.versionBe : this.versionLe);
      return this._m_version;
    }
  });

  /**
   * The version as a big-endian reader sees it.
   */
  Object.defineProperty(Gguf.prototype, 'versionBe', {
    get: function() {
      if (this._m_versionBe !== undefined)
        return this._m_versionBe;
      var _pos = this._io.pos;
      this._io.seek(4);
      this._m_versionBe = this._io.readU4be();
      this._io.seek(_pos);
      return this._m_versionBe;
    }
  });

  /**
   * The version as a little-endian reader sees it.
   */
  Object.defineProperty(Gguf.prototype, 'versionLe', {
    get: function() {
      if (this._m_versionLe !== undefined)
        return this._m_versionLe;
      var _pos = this._io.pos;
      this._io.seek(4);
      this._m_versionLe = this._io.readU4le();
      this._io.seek(_pos);
      return this._m_versionLe;
    }
  });

  /**
   * The four bytes "GGUF", the same in both byte orders.
   */

  /**
   * Everything else, in the byte order of the file.
   */

  return Gguf;
})();
Gguf_.Gguf = Gguf;
});
