import Dispatch
import Synchronization
import VitrineVision

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Collects the readings of an IMU until they are taken.
final class ReadingCollector: Sendable {
    struct State {
        var readings: [InertialReading] = []
        /// Recoverable problems, newest last.
        var problems: [String] = []
        /// The reason for which reading ended, and whether that was reported.
        var end: String?
        var isEndReported = false
        fileprivate var mixer = InertialMixer()
    }

    let state = Mutex(State())
    private let isStopped = Atomic(false)

    /// The readings of about a minute.
    private static let limit = 1 << 16

    var isRunning: Bool { !isStopped.load(ordering: .relaxed) }
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Restarts after all readers have stopped; discards earlier readings.
    func begin() {
        isStopped.store(false, ordering: .relaxed)
        state.withLock { ($0.readings, $0.mixer, $0.end, $0.isEndReported) = ([], InertialMixer(), nil, false) }
    }

    func add(gyroscope: Vector3d?, accelerometer: Vector3d?, at nanoseconds: Int64) {
        state.withLock { state in
            if let accelerometer { state.readings += state.mixer.addAcceleration(accelerometer, at: nanoseconds) }
            if let gyroscope { state.readings += state.mixer.addRotation(gyroscope, at: nanoseconds) }
            guard state.readings.count > Self.limit else { return }
            state.problems.append("the IMU's readings were not read in time; some were dropped")
            state.readings.removeFirst(Self.limit / 2)
        }
    }

    func end(_ reason: String) { state.withLock { if $0.end == nil { $0.end = reason } } }
}

/// Reads one sensor on its own queue, from its buffer or by polling.
struct InertialReader: Sendable {
    /// Reads until stopped, then closes its files; with false, only closes them.
    typealias Job = @Sendable (_ reads: Bool) -> Void

    let sensor: InertialSensor
    let collector: ReadingCollector
    /// Nanoseconds to add for the monotonic clock.
    let clockShift: Int64

    /// Milliseconds between checks whether to stop.
    private static let pollInterval: Int32 = 50

    // MARK: Buffer

    /// Opens the device file and enables the buffer.
    func buffered(_ buffer: InertialSensor.Buffer, file: String) throws(SourceError) -> Job {
        let descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw AttributeFolder.error(file, errno) }
        do throws(SourceError) {
            try buffer.folder.write("1", to: "enable")
        } catch {
            close(descriptor)
            throw error
        }
        return { reads in
            if reads { self.readScans(descriptor, buffer.layout, file) }
            close(descriptor)
            try? buffer.folder.write("0", to: "enable")
        }
    }

    private func readScans(_ descriptor: Int32, _ layout: ScanLayout, _ file: String) {
        var (waiting, chunk): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 14))
        while collector.isRunning {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Self.pollInterval) > 0 else { continue }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else {
                return collector.end("\(file): \(count < 0 ? String(cString: strerror(errno)).lowercased() : "was removed")")
            }
            waiting += chunk[0..<count]
            let whole = waiting.count / layout.byteCount
            let now = SystemClock.monotonic
            for index in 0..<whole {
                let start = index * layout.byteCount
                deliver(layout.scan(waiting[start..<start + layout.byteCount]), now)
            }
            waiting.removeFirst(whole * layout.byteCount)
        }
    }

    private func deliver(_ scan: ScanLayout.Scan, _ now: Int64) {
        // Without driver time stamps, use the time of reading.
        let time = scan.nanoseconds.map { $0.addingReportingOverflow(clockShift).partialValue } ?? now
        collector.add(
            gyroscope: scan.gyroscope.flatMap { sensor.gyroscope?.value($0) },
            accelerometer: scan.accelerometer.flatMap { sensor.accelerometer?.value($0) }, at: time)
    }

    // MARK: Polling

    /// Opens the files of single values to read `rate` times a second.
    func polled(rate: Double) throws(SourceError) -> Job {
        var files: [Int32] = []
        for kind in sensor.kinds {
            for axis in 0..<3 {
                let path = sensor.folder.path + "/" + kind.name(axis) + "_raw"
                let file = open(path, O_RDONLY | O_CLOEXEC)
                guard file >= 0, Self.number(file) != nil else {
                    let error = AttributeFolder.error(path, file < 0 ? errno : EIO)
                    for file in files + [file] where file >= 0 { close(file) }
                    throw error
                }
                files.append(file)
            }
        }
        let all = files
        return { reads in
            if reads { self.readNumbers(all, interval: Int64(1e9 / rate)) }
            for file in all { close(file) }
        }
    }

    private func readNumbers(_ files: [Int32], interval: Int64) {
        var (next, misses) = (SystemClock.monotonic, 0)
        while collector.isRunning {
            let before = SystemClock.monotonic
            let numbers = files.compactMap { Self.number($0) }
            misses = numbers.count == files.count ? 0 : misses + 1
            if misses == 0 { deliver(numbers, at: (before + SystemClock.monotonic) / 2) }
            guard misses < 100 else { return collector.end("\(sensor.folder.path): its values can no longer be read") }
            next = max(next + interval, SystemClock.monotonic - interval)
            let left = next - SystemClock.monotonic
            if left > 0 { usleep(UInt32(left / 1000)) }
        }
    }

    private func deliver(_ numbers: [Double], at time: Int64) {
        func value(_ kind: InertialAxes.Kind) -> Vector3d? {
            guard let axes = sensor.axes(kind), let index = sensor.kinds.firstIndex(of: kind) else { return nil }
            return axes.value(Vector3d(numbers[3 * index], numbers[3 * index + 1], numbers[3 * index + 2]))
        }
        collector.add(gyroscope: value(.anglvel), accelerometer: value(.accel), at: time)
    }

    /// Reads a file from its start: sysfs returns a new value each time.
    private static func number(_ file: Int32) -> Double? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return NumberText.double(bytes[0..<count].prefix { $0 > 0x20 }).flatMap { $0.isFinite ? $0 : nil }
    }
}
