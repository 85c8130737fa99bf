import VitrineVision

/// The memory layout of a scan, one reading of all enabled elements: ordered by index, each aligned to its size.
struct ScanLayout: Equatable, Sendable {
    /// The quantity that an element measures.
    enum Role: Hashable, Sendable {
        case axis(InertialAxes.Kind, Int)
        case time
        case other
    }

    struct Entry: Equatable, Sendable {
        let role: Role
        let index: Int
        let element: ScanElement
    }

    private struct Field: Equatable, Sendable {
        let element: ScanElement
        let offset: Int
    }

    /// The size of a scan in bytes.
    let byteCount: Int
    private let gyroscope, accelerometer: [Field]
    private let time: Field?

    init(_ entries: [Entry]) {
        var (end, largest) = (0, 1)
        var fields: [Role: Field] = [:]
        for entry in entries.sorted(by: { $0.index < $1.index }) {
            let size = entry.element.byteCount
            let offset = (end + size - 1) / size * size
            fields[entry.role] = Field(element: entry.element, offset: offset)
            (end, largest) = (offset + size, max(largest, size))
        }
        byteCount = (end + largest - 1) / largest * largest
        gyroscope = (0..<3).compactMap { fields[.axis(.anglvel, $0)] }
        accelerometer = (0..<3).compactMap { fields[.axis(.accel, $0)] }
        time = fields[.time]
    }

    /// Raw values of a scan; nil for sensors without all axes.
    struct Scan: Equatable, Sendable {
        var nanoseconds: Int64?
        var gyroscope, accelerometer: Vector3d?
    }

    /// Decodes one scan.
    ///
    /// - Parameter bytes: `byteCount` bytes.
    func scan(_ bytes: ArraySlice<UInt8>) -> Scan {
        func vector(_ fields: [Field]) -> Vector3d? {
            guard fields.count == 3 else { return nil }
            func axis(_ index: Int) -> Double { Double(fields[index].element.value(bytes, at: bytes.startIndex + fields[index].offset)) }
            return Vector3d(axis(0), axis(1), axis(2))
        }
        return Scan(
            nanoseconds: time.map { $0.element.value(bytes, at: bytes.startIndex + $0.offset) }, gyroscope: vector(gyroscope),
            accelerometer: vector(accelerometer))
    }
}
