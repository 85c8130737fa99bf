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

/// The IMU of the machine that this runs on: a gyroscope and an accelerometer as Linux has them (Industrial I/O), in one device or in two.
///
/// ```swift
/// let imu = try InertialDevice()                        // the first that is found
/// let camera = try CameraDevice("/dev/video0", options: .init(inertial: .named("iio:device1")))
/// ```
///
/// Readings are gathered on queues of its own, stamped by the driver, on the monotonic clock as a camera's frames are. Where the rights to turn the
/// driver's buffer on are missing, numbers are asked for one by one, at most 100 times a second and stamped when they were read: less exact,
/// told in `problems`. Axes: where the system knows how the sensor is mounted, x right, y up and z out of the screen; else the sensor's own.
public final class InertialDevice: Sendable {
    public struct Options: Sendable {
        /// Readings a second that are asked for. Default 200; the driver gives what comes nearest above.
        public var rate = 200.0
        /// Where the system tells of its devices, and where their files are. For tests.
        var system = "/sys"
        var devices = "/dev"

        public init(rate: Double = 200) { self.rate = rate }
    }

    /// For people: "iio:device0 (icm42600-gyro), iio:device1 (icm42600-accel)".
    public let name: String
    /// Readings a second, where the driver tells.
    public let rate: Double?
    /// Whether the driver's buffer is read.
    public let isBuffered: Bool
    private let gathered = GatheredReadings()
    private let sensors: [InertialSensor]
    private let options: Options
    private let reading = DispatchGroup()
    private let isReading = Mutex(true)

    private static let pollingRate = 100.0

    /// - Parameter identifier: as "iio:device1", or its folder; where it has only one of both sensors, the other is looked for beside it. nil: the first.
    /// - Throws: `SourceError.broken` with the file, the reason and the way out.
    public init(_ identifier: String? = nil, options: Options = Options()) throws(SourceError) {
        let sensors = try Self.sensors(identifier, options)
        (self.sensors, self.options) = (sensors, options)
        name = sensors.map { "\($0.identifier) (\($0.name))" }.joined(separator: ", ")
        var rates: [Double] = []
        for sensor in sensors { if let rate = sensor.setRate(options.rate) { rates.append(rate) } }
        let jobs: [InertialReader.Job]
        do throws(SourceError) {
            jobs = try Self.jobs(sensors, gathered, options, isBuffered: true)
            (isBuffered, rate) = (true, rates.min())
        } catch {
            // Both or none: a reading now and then of one wouldn't fit the other's.
            jobs = try Self.jobs(sensors, gathered, options, isBuffered: false)
            let pollingRate = min(options.rate, Self.pollingRate)
            (isBuffered, rate) = (false, pollingRate)
            let problem = "\(error.description); its numbers are asked for one by one instead, \(Int(pollingRate)) times a second"
            gathered.state.withLock { $0.problems.append(problem) }
        }
        run(jobs)
    }

    private func run(_ jobs: [InertialReader.Job]) {
        for job in jobs { DispatchQueue(label: "vitrine.imu").async(group: reading) { job(true) } }
    }

    /// It measures again, in the way in which it did before; nothing where it does already.
    ///
    /// - Throws: `SourceError.broken` where it can't be read any more: another program has it, it is gone, or rights are.
    public func start() throws(SourceError) {
        try isReading.withLock { isReading throws(SourceError) in
            guard !isReading else { return }
            let jobs = try Self.jobs(sensors, gathered, options, isBuffered: isBuffered)
            gathered.begin()
            isReading = true
            run(jobs)
        }
    }

    /// It rests: the driver's buffer is turned off, and nothing is read until `start`. It measures from the time on when it was made.
    public func stop() {
        isReading.withLock { isReading in
            guard isReading else { return }
            gathered.stop()
            reading.wait()
            isReading = false
        }
    }

    private static func jobs(
        _ sensors: [InertialSensor], _ gathered: GatheredReadings, _ options: Options, isBuffered: Bool
    ) throws(SourceError) -> [InertialReader.Job] {
        try jobs(sensors) { sensor throws(SourceError) in
            if isBuffered { return try buffered(sensor, gathered, options) }
            return try InertialReader(sensor: sensor, gathered: gathered, clockShift: 0).polled(rate: min(options.rate, pollingRate))
        }
    }

    /// One for each sensor; where one can't be had, the others are closed again.
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
        _ sensor: InertialSensor, _ gathered: GatheredReadings, _ options: Options
    ) throws(SourceError) -> InertialReader.Job {
        let shift = try chooseClock(sensor.folder)
        let buffer = try sensor.prepareBuffer()
        return try InertialReader(sensor: sensor, gathered: gathered, clockShift: shift)
            .buffered(buffer, file: options.devices + "/" + sensor.identifier)
    }

    /// The cameras' clock where it may be chosen; else the times of the one that is there are brought to it.
    private static func chooseClock(_ folder: AttributeFolder) throws(SourceError) -> Int64 {
        let file = "current_timestamp_clock"
        // Older kernels know one clock only.
        guard folder.exists(file) else { return SystemClock.toMonotonic(from: "realtime") ?? 0 }
        try? folder.write("monotonic", to: file)
        let clock = try folder.text(file)
        guard let shift = SystemClock.toMonotonic(from: clock) else {
            throw .broken("\(folder.path)/\(file): the clock '\(clock.prefix(40))' isn't known here")
        }
        return shift
    }

    // MARK: What it measured

    /// What has come since it was last asked, waiting until one reaches `nanoseconds`.
    ///
    /// - Parameter patience: milliseconds that it waits at most.
    public func readings(reaching nanoseconds: Int64 = .min, patience: Int = 0) -> [InertialReading] {
        for _ in 0..<max(0, patience) {
            let isThere = gathered.state.withLock { state in
                state.end != nil || state.readings.last.map { $0.nanoseconds >= nanoseconds } ?? false
            }
            if isThere { break }
            usleep(1000)
        }
        return gathered.state.withLock { state in
            defer { state.readings.removeAll(keepingCapacity: true) }
            return state.readings
        }
    }

    /// What was survived since it was last asked, and once why nothing comes any more.
    func takeProblems() -> [String] {
        gathered.state.withLock { state in
            defer { state.problems.removeAll() }
            guard let end = state.end, !state.endIsTold else { return state.problems }
            state.endIsTold = true
            return state.problems + [end]
        }
    }
}
