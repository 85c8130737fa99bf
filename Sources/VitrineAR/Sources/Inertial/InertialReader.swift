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

/// What the readers of an IMU have gathered, until it is taken.
final class GatheredReadings: Sendable {
    struct State {
        var readings: [InertialReading] = []
        /// What was survived, newest last.
        var problems: [String] = []
        /// Why nothing comes any more; and whether that was told.
        var end: String?
        var endIsTold = false
        fileprivate var mixer = InertialMixer()
    }

    let state = Mutex(State())
    private let isStopped = Atomic(false)

    /// Nobody took them for a minute.
    private static let limit = 1 << 16

    var goesOn: Bool { !isStopped.load(ordering: .relaxed) }
    func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Once all readers have stopped: what was measured before is old.
    func begin() {
        isStopped.store(false, ordering: .relaxed)
        state.withLock { ($0.readings, $0.mixer, $0.end, $0.endIsTold) = ([], InertialMixer(), nil, false) }
    }

    func add(gyroscope: Vector3d?, accelerometer: Vector3d?, at nanoseconds: Int64) {
        state.withLock { state in
            if let accelerometer { state.readings += state.mixer.addForce(accelerometer, at: nanoseconds) }
            if let gyroscope { state.readings += state.mixer.addTurn(gyroscope, at: nanoseconds) }
            guard state.readings.count > Self.limit else { return }
            state.problems.append("the IMU's readings weren't taken for so long that some were dropped")
            state.readings.removeFirst(Self.limit / 2)
        }
    }

    func end(_ reason: String) { state.withLock { if $0.end == nil { $0.end = reason } } }
}

/// Reads one sensor on a queue of its own, by its buffer or number by number.
struct InertialReader: Sendable {
    /// What reads until it is stopped and then closes what was opened; called with false it only closes.
    typealias Job = @Sendable (_ reads: Bool) -> Void

    let sensor: InertialSensor
    let gathered: GatheredReadings
    /// To the monotonic clock's nanoseconds.
    let clockShift: Int64

    /// Milliseconds after which it looks whether it should stop.
    private static let pause: Int32 = 50

    // MARK: By the buffer

    /// Opens the device file and turns the buffer on.
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
        while gathered.goesOn {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, Self.pause) > 0 else { continue }
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else {
                return gathered.end("\(file): \(count < 0 ? String(cString: strerror(errno)).lowercased() : "is gone")")
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
        // A driver without times: when it was read is all that is known.
        let time = scan.nanoseconds.map { $0.addingReportingOverflow(clockShift).partialValue } ?? now
        gathered.add(
            gyroscope: scan.gyroscope.flatMap { sensor.gyroscope?.value($0) },
            accelerometer: scan.accelerometer.flatMap { sensor.accelerometer?.value($0) }, at: time)
    }

    // MARK: Number by number

    /// Opens the files of the single numbers, to be read `rate` times a second.
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
        while gathered.goesOn {
            let before = SystemClock.monotonic
            let numbers = files.compactMap { Self.number($0) }
            misses = numbers.count == files.count ? 0 : misses + 1
            if misses == 0 { deliver(numbers, at: (before + SystemClock.monotonic) / 2) }
            guard misses < 100 else { return gathered.end("\(sensor.folder.path): its numbers can't be read any more") }
            next = max(next + interval, SystemClock.monotonic - interval)
            let left = next - SystemClock.monotonic
            if left > 0 { usleep(UInt32(left / 1000)) }
        }
    }

    private func deliver(_ numbers: [Double], at time: Int64) {
        func value(_ kind: InertialAxes.Kind) -> Vector3d? {
            guard let axes = sensor.axes(kind), let place = sensor.kinds.firstIndex(of: kind) else { return nil }
            return axes.value(Vector3d(numbers[3 * place], numbers[3 * place + 1], numbers[3 * place + 2]))
        }
        gathered.add(gyroscope: value(.anglvel), accelerometer: value(.accel), at: time)
    }

    /// The system gives a new value with each reading from the beginning.
    private static func number(_ file: Int32) -> Double? {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return NumberText.double(bytes[0..<count].prefix { $0 > 0x20 }).flatMap { $0.isFinite ? $0 : nil }
    }
}
