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

/// The IMU of this machine: a gyroscope and an accelerometer of Linux Industrial I/O, in one device or two.
///
/// ```swift
/// let camera = try CameraDevice("/dev/video0", inertial: .named("iio:device1"))
/// ```
///
/// Collects readings on its own queues with the driver's time stamps on the monotonic clock, the clock of camera frames. Without permission to
/// enable the driver's buffer, it polls single values at most 100 times a second and stamps them on reading, which is less accurate, and reports
/// a problem. Axes: x right, y up, z out of the screen if the system reports the mounting; otherwise the sensor's own.
package final class InertialDevice: Sendable {
    /// Options of an IMU.
    package struct Options: Sendable {
        /// The requested readings per second; the driver selects the next higher rate. Default 200.
        package var rate = 200.0
        /// The roots of sysfs and of device files; tests replace them.
        var system = "/sys"
        var devices = "/dev"

        /// Creates options.
        package init(rate: Double = 200) { self.rate = rate }
    }

    /// The names of the devices, such as "iio:device0 (icm42600-gyro), iio:device1 (icm42600-accel)".
    package let name: String
    /// The number of readings per second; nil if the driver does not report it.
    package let rate: Double?
    /// Whether readings come from the driver's buffer instead of polling.
    package let isBuffered: Bool
    private let collector = ReadingCollector()
    private let sensors: [InertialSensor]
    private let options: Options
    private let reading = DispatchGroup()
    private let isReading = Mutex(true)

    private static let pollingRate = 100.0

    /// Opens an IMU.
    ///
    /// - Parameter identifier: The name of the device, such as "iio:device1", or its folder; if it has one of the two sensors, a device
    ///   nearby supplies the other. nil selects the first device.
    /// - Throws: `SourceError.broken` with file, reason and remedy.
    package init(_ identifier: String? = nil, options: Options = Options()) throws(SourceError) {
        let sensors = try Self.sensors(identifier, options)
        (self.sensors, self.options) = (sensors, options)
        name = sensors.map { "\($0.identifier) (\($0.name))" }.joined(separator: ", ")
        var rates: [Double] = []
        for sensor in sensors { if let rate = sensor.setRate(options.rate) { rates.append(rate) } }
        let jobs: [InertialReader.Job]
        do throws(SourceError) {
            jobs = try Self.jobs(sensors, collector, options, isBuffered: true)
            (isBuffered, rate) = (true, rates.min())
        } catch {
            // Both sensors use the same mode.
            jobs = try Self.jobs(sensors, collector, options, isBuffered: false)
            let pollingRate = min(options.rate, Self.pollingRate)
            (isBuffered, rate) = (false, pollingRate)
            let problem = "\(error.description); polls single values instead, \(Int(pollingRate)) times a second"
            collector.state.withLock { $0.problems.append(problem) }
        }
        run(jobs)
    }

    private func run(_ jobs: [InertialReader.Job]) {
        for job in jobs { DispatchQueue(label: "vitrine.imu").async(group: reading) { job(true) } }
    }

    /// Resumes measuring after `stop()`, in the same mode.
    ///
    /// - Throws: `SourceError.broken` if the device is in use, was removed, or is no longer permitted.
    package func start() throws(SourceError) {
        try isReading.withLock { isReading throws(SourceError) in
            guard !isReading else { return }
            let jobs = try Self.jobs(sensors, collector, options, isBuffered: isBuffered)
            collector.begin()
            isReading = true
            run(jobs)
        }
    }

    /// Disables the driver's buffer and stops reading until `start()`. A new device measures at once.
    package func stop() {
        isReading.withLock { isReading in
            guard isReading else { return }
            collector.stop()
            reading.wait()
            isReading = false
        }
    }

    private static func jobs(
        _ sensors: [InertialSensor], _ collector: ReadingCollector, _ options: Options, isBuffered: Bool
    ) throws(SourceError) -> [InertialReader.Job] {
        try jobs(sensors) { sensor throws(SourceError) in
            if isBuffered { return try buffered(sensor, collector, options) }
            return try InertialReader(sensor: sensor, collector: collector, clockShift: 0).polled(rate: min(options.rate, pollingRate))
        }
    }

    /// Starts a job for each sensor; closes the others if one fails.
    private static func jobs(
        _ sensors: [InertialSensor], _ make: (InertialSensor) throws(SourceError) -> InertialReader.Job
    ) throws(SourceError) -> [InertialReader.Job] {
        var jobs: [InertialReader.Job] = []
        for sensor in sensors {
            do throws(SourceError) {
                jobs.append(try make(sensor))
            } catch {
                for job in jobs { job(false) }
                throw error
            }
        }
        return jobs
    }

    deinit { stop() }

    private static func buffered(
        _ sensor: InertialSensor, _ collector: ReadingCollector, _ options: Options
    ) throws(SourceError) -> InertialReader.Job {
        let shift = try chooseClock(sensor.folder)
        let buffer = try sensor.prepareBuffer()
        return try InertialReader(sensor: sensor, collector: collector, clockShift: shift)
            .buffered(buffer, file: options.devices + "/" + sensor.identifier)
    }

    /// Selects the monotonic clock if the driver allows; otherwise returns the offset of the driver's clock to it.
    private static func chooseClock(_ folder: AttributeFolder) throws(SourceError) -> Int64 {
        let file = "current_timestamp_clock"
        // Older kernels have one clock only.
        guard folder.exists(file) else { return SystemClock.toMonotonic(from: "realtime") ?? 0 }
        try? folder.write("monotonic", to: file)
        let clock = try folder.text(file)
        guard let shift = SystemClock.toMonotonic(from: clock) else {
            throw .broken("\(folder.path)/\(file): the clock '\(clock.prefix(40))' is not supported")
        }
        return shift
    }

    // MARK: Readings

    /// Returns the readings since the last call. Waits for one at or after `nanoseconds`.
    ///
    /// - Parameter timeout: The longest wait in milliseconds.
    package func readings(reaching nanoseconds: Int64 = .min, timeout: Int = 0) -> [InertialReading] {
        for _ in 0..<max(0, timeout) {
            let isAvailable = collector.state.withLock { state in
                state.end != nil || state.readings.last.map { $0.nanoseconds >= nanoseconds } ?? false
            }
            if isAvailable { break }
            usleep(1000)
        }
        return collector.state.withLock { state in
            defer { state.readings.removeAll(keepingCapacity: true) }
            return state.readings
        }
    }

    /// Returns the problems since the last call, and once the reason why reading ended.
    func takeProblems() -> [String] {
        collector.state.withLock { state in
            defer { state.problems.removeAll() }
            guard let end = state.end, !state.isEndReported else { return state.problems }
            state.isEndReported = true
            return state.problems + [end]
        }
    }
}

extension InertialDevice {
    /// Returns the devices with a gyroscope or an accelerometer, by number.
    private static func candidates(_ options: Options) -> [(identifier: String, folder: AttributeFolder, kinds: [InertialAxes.Kind])] {
        let all = AttributeFolder(path: options.system + "/bus/iio/devices")
        let names = all.names.filter { $0.hasPrefix("iio:device") }
        return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.compactMap { name in
            let folder = AttributeFolder(path: all.path + "/" + name)
            let kinds = InertialSensor.kinds(in: folder)
            return kinds.isEmpty ? nil : (name, folder, kinds)
        }
    }

    /// Selects a device with both sensors, or one for each.
    private static func sensors(_ identifier: String?, _ options: Options) throws(SourceError) -> [InertialSensor] {
        let all = candidates(options)
        let directory = options.system + "/bus/iio/devices"
        var first = all.first { $0.kinds.count == 2 } ?? all.first { $0.kinds == [.anglvel] }
        if let identifier {
            let name = identifier.split(separator: "/").last.map(String.init) ?? identifier
            first = all.first { $0.identifier == name }
            guard first != nil else {
                let found = all.isEmpty ? "there is none" : "there are " + all.map(\.identifier).joined(separator: ", ")
                throw .broken("\(directory)/\(name): is not a gyroscope or accelerometer: \(found)")
            }
        }
        guard let first else { throw .broken("\(directory): this machine has no gyroscope") }
        if first.kinds.count == 2 { return [try InertialSensor(first.identifier, in: first.folder, first.kinds)] }
        let missing: InertialAxes.Kind = first.kinds == [.anglvel] ? .accel : .anglvel
        let others = all.filter { $0.kinds.contains(missing) && $0.identifier != first.identifier }
        // Preferably on the same chip.
        let home = parent(first.folder.path)
        guard let other = others.first(where: { home != nil && parent($0.folder.path) == home }) ?? others.first else {
            throw .broken("\(first.folder.path): has no \(missing == .accel ? "accelerometer" : "gyroscope"), and no other device has one")
        }
        return [
            try InertialSensor(first.identifier, in: first.folder, first.kinds),
            try InertialSensor(other.identifier, in: other.folder, [missing]),
        ]
    }

    // MARK: Association with a camera

    /// Whether the IMU belongs to a camera: both in the same USB device, or both built into this machine.
    static func isBeside(camera: String, options: Options = Options()) -> Bool {
        guard let sensors = try? sensors(nil, options), let name = camera.split(separator: "/").last else { return false }
        guard let cameraPath = resolved(options.system + "/class/video4linux/\(name)/device") else { return false }
        return sensors.allSatisfy { sensor in
            // Ignore the sensor in a notebook's keyboard.
            guard sensor.folder.optional("label") != "accel-base", sensor.folder.optional("location") != "base" else { return false }
            guard let own = resolved(sensor.folder.path) else { return false }
            let (cameras, sensors) = (usbDevice(cameraPath), usbDevice(own))
            return cameras == sensors || (isBuiltIn(cameras) && isBuiltIn(sensors))
        }
    }

    /// The USB device of a sysfs path; nil if there is none.
    private static func usbDevice(_ path: String) -> String? {
        var path = path
        while let up = parent(path) {
            if AttributeFolder(path: path).exists("idVendor") { return path }
            path = up
        }
        return nil
    }

    private static func isBuiltIn(_ usbDevice: String?) -> Bool {
        guard let usbDevice else { return true }
        return AttributeFolder(path: usbDevice).optional("removable") == "fixed"
    }

    private static func resolved(_ path: String) -> String? {
        guard let text = realpath(path, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    private static func parent(_ path: String) -> String? {
        guard let real = resolved(path), let slash = real.lastIndex(of: "/"), slash != real.startIndex else { return nil }
        return String(real[..<slash])
    }
}
