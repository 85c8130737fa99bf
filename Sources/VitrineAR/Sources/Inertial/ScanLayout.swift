import VitrineVision

/// One reading of all elements that a sensor's buffer gives: where each lies, the order being that of their indices, each at a multiple of its size.
struct ScanLayout: Equatable, Sendable {
    /// What an element measures; `other` only takes room.
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

    private struct Place: Equatable, Sendable {
        let element: ScanElement
        let offset: Int
    }

    /// Of one scan, in bytes.
    let byteCount: Int
    private let gyroscope, accelerometer: [Place]
    private let time: Place?

    init(_ entries: [Entry]) {
        var (end, largest) = (0, 1)
        var places: [Role: Place] = [:]
        for entry in entries.sorted(by: { $0.index < $1.index }) {
            let size = entry.element.byteCount
            let offset = (end + size - 1) / size * size
            places[entry.role] = Place(element: entry.element, offset: offset)
            (end, largest) = (offset + size, max(largest, size))
        }
        byteCount = (end + largest - 1) / largest * largest
        gyroscope = (0..<3).compactMap { places[.axis(.anglvel, $0)] }
        accelerometer = (0..<3).compactMap { places[.axis(.accel, $0)] }
        time = places[.time]
    }

    /// As the sensor counts; nil for what isn't in a scan with all its axes.
    struct Scan: Equatable, Sendable {
        var nanoseconds: Int64?
        var gyroscope, accelerometer: Vector3d?
    }

    /// - Parameter bytes: `byteCount` of them.
    func scan(_ bytes: ArraySlice<UInt8>) -> Scan {
        func vector(_ places: [Place]) -> Vector3d? {
            guard places.count == 3 else { return nil }
            func axis(_ index: Int) -> Double { Double(places[index].element.value(bytes, at: bytes.startIndex + places[index].offset)) }
            return Vector3d(axis(0), axis(1), axis(2))
        }
        return Scan(
            nanoseconds: time.map { $0.element.value(bytes, at: bytes.startIndex + $0.offset) }, gyroscope: vector(gyroscope),
            accelerometer: vector(accelerometer))
    }
}
