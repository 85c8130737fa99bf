/// The storage type of a number. The raw values are those of `componentType`.
enum GLTFComponentType: Int {
    case int8 = 5120
    case uint8 = 5121
    case int16 = 5122
    case uint16 = 5123
    case uint32 = 5125
    case float32 = 5126

    var size: Int {
        switch self {
        case .int8, .uint8: 1
        case .int16, .uint16: 2
        case .uint32, .float32: 4
        }
    }
}

/// The type of one element of an accessor.
enum GLTFElementShape {
    case scalar, vector2, vector3, vector4, matrix2, matrix3, matrix4

    init?(_ name: ArraySlice<UInt8>) {
        let shapes: [(StaticString, GLTFElementShape)] = [
            ("SCALAR", .scalar), ("VEC2", .vector2), ("VEC3", .vector3), ("VEC4", .vector4),
            ("MAT2", .matrix2), ("MAT3", .matrix3), ("MAT4", .matrix4),
        ]
        for (text, shape) in shapes
        where name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) {
            self = shape
            return
        }
        return nil
    }

    var rows: Int {
        switch self {
        case .scalar: 1
        case .vector2, .matrix2: 2
        case .vector3, .matrix3: 3
        case .vector4, .matrix4: 4
        }
    }

    var columns: Int {
        switch self {
        case .matrix2: 2
        case .matrix3: 3
        case .matrix4: 4
        default: 1
        }
    }

    var componentCount: Int { rows * columns }
}

/// An accessor. Invariant: every byte that it refers to is inside its buffer.
struct GLTFAccessor {
    let json: JSONValue
    let type: GLTFComponentType
    let shape: GLTFElementShape
    let count: Int
    let isNormalized: Bool
    /// The elements; nil if all are zero.
    let source: Source?
    let sparse: Sparse?

    /// The location of elements in a buffer.
    struct Source {
        let buffer: Int
        /// The offset in bytes from the start of the buffer's array.
        let offset: Int
        let stride: Int
        let hasExplicitStride: Bool
    }

    /// Elements that replace those of `source`.
    struct Sparse {
        let count: Int
        let indexType: GLTFComponentType
        let indices: Source
        let values: Source
        let json: JSONValue
    }

    var componentCount: Int { shape.componentCount }

    /// The distance between columns in bytes. Columns of a matrix start at multiples of 4 bytes.
    var columnStride: Int { shape.columns == 1 ? shape.rows * type.size : (shape.rows * type.size + 3) & ~3 }

    /// The distance between elements in bytes without a stride.
    var packedStride: Int { columnStride * shape.columns }

    /// The size of an element in bytes. The last column is not padded.
    var elementSize: Int { columnStride * (shape.columns - 1) + shape.rows * type.size }
}
