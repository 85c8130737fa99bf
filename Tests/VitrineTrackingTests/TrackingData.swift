import CZlib
import Foundation
import Testing
import VitrineVision

@testable import VitrineTracking

/// Recordings that are not part of the package: `$VITRINE_DATA/ar`, else `../shared/data/ar` beside the package.
enum TrackingData {
    static let missing: Comment = "shared data is missing: set VITRINE_DATA to its folder"

    static let root: URL? = {
        if let given = ProcessInfo.processInfo.environment["VITRINE_DATA"] { return URL(fileURLWithPath: given) }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let beside = package.deletingLastPathComponent()
        return [beside, beside.deletingLastPathComponent()].map { $0.appendingPathComponent("shared/data") }
            .first { FileManager.default.fileExists(atPath: $0.path) }
    }()

    static func has(_ path: String) -> Bool {
        root.map { FileManager.default.fileExists(atPath: $0.appendingPathComponent("ar/\(path)").path) } ?? false
    }

    /// The numbers of each line of a text file, compressed with gzip or not, separated by commas or spaces. Skips lines that don't start with a number.
    static func numbers(_ path: String) throws -> [[Double]] {
        let file = try #require(root).appendingPathComponent("ar/\(path)").path
        let handle = try #require(gzopen(file, "rb"))
        defer { gzclose(handle) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = gzread(handle, &buffer, UInt32(buffer.count)), count > 0 { bytes += buffer[..<Int(count)] }
        bytes.append(0)
        return bytes.withUnsafeMutableBytes { parsed($0.bindMemory(to: CChar.self)) }
    }

    private static func parsed(_ text: UnsafeMutableBufferPointer<CChar>) -> [[Double]] {
        var result: [[Double]] = []
        var at = text.baseAddress!
        while at.pointee != 0 {
            var line: [Double] = []
            while at.pointee != 10, at.pointee != 0 {
                var end: UnsafeMutablePointer<CChar>?
                let number = strtod(at, &end)
                guard let end, end > at else { break }
                line.append(number)
                at = end
                while at.pointee == 44 || at.pointee == 32 || at.pointee == 13 { at += 1 }
            }
            while at.pointee != 10, at.pointee != 0 { at += 1 }
            if at.pointee == 10 { at += 1 }
            if !line.isEmpty { result.append(line) }
        }
        return result
    }

    /// Inertial samples from lines of a time, angular velocity and acceleration.
    static func samples(_ path: String, secondsPerUnit: Double = 1, origin: Double = 0) throws -> [InertialSample] {
        try numbers(path).map {
            InertialSample(
                time: ($0[0] - origin) * secondsPerUnit, angularVelocity: Vector3d($0[1], $0[2], $0[3]),
                acceleration: Vector3d($0[4], $0[5], $0[6]))
        }
    }

    /// Poses of a TUM file with +Z up.
    static func poses(_ path: String, origin: Double = 0) throws -> [TimedPose] {
        try numbers(path).map {
            TimedPose(
                time: $0[0] - origin,
                pose: RigidTransform(
                    rotation: Matrix3d(quaternion: SIMD4($0[4], $0[5], $0[6], $0[7])), translation: Vector3d($0[1], $0[2], $0[3]))
            ).fromZUp
        }
    }

    /// The left camera and the IMU of EuRoC's drone, with the calibration of the shared files.
    static var eurocRig: SensorRig {
        // Plus half a pixel: the centre of the first pixel is at (0.5, 0.5) here, at (0, 0) in EuRoC's files.
        let camera = CameraIntrinsics(
            width: 752, height: 480, focal: Vector2d(458.654, 457.296), center: Vector2d(367.715, 248.875),
            distortion: .brownConrady(SIMD4(-0.28340811, 0.07395907, 0.00019359, 1.76187114e-05)))
        let bodyFromCamera = RigidTransform(
            rotation: Matrix3d(
                rows: Vector3d(0.0148655429818, -0.999880929698, 0.00414029679422),
                Vector3d(0.999557249008, 0.0149672133247, 0.025715529948), Vector3d(-0.0257744366974, 0.00375618835797, 0.999660727178)
            ).orthonormalized, translation: Vector3d(-0.0216401454975, -0.064676986768, 0.00981073058949))
        let noise = InertialNoise(gyroscope: 1.6968e-4, accelerometer: 2e-3, gyroscopeWalk: 1.9393e-5, accelerometerWalk: 3e-3)
        return SensorRig(camera: camera, cameraFromBody: bodyFromCamera.inverse, noise: noise)
    }
}

/// The results of a filter on a recording.
struct FilterRun {
    var estimate: [TimedPose] = []
    var covariances: [[Double]] = []
    var reports: [FilterReport] = []
    /// Thread time of each update in seconds, including propagation.
    var seconds: [Double] = []

    struct Frame {
        var time: Double
        var features: [ObservedFeature]
    }

    /// Adds samples and frames in the order of time: before each frame the samples up to the first one after it.
    ///
    /// - Parameter measure: Further measurements at a frame's time, after its features.
    init(_ filter: VisualInertialFilter, samples: [InertialSample], frames: [Frame], measure: (Double) -> Void = { _ in }) {
        var next = 0
        for frame in frames {
            let time = frame.time + filter.rig.timeOffset
            // Does not wait for a time stamp far ahead.
            while next < samples.count, next == 0 || !(time..<time + 0.1).contains(samples[next - 1].time) {
                filter.add(samples[next])
                next += 1
            }
            let start = Self.threadSeconds
            let report = filter.update(time: frame.time, features: frame.features)
            seconds.append(Self.threadSeconds - start)
            measure(frame.time)
            reports.append(report)
            guard report.outcome == .updated || report.outcome == .atRest else { continue }
            estimate.append(TimedPose(time: report.time, pose: filter.state.worldFromBody))
            covariances.append(filter.poseCovariance)
        }
    }

    private static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    var medianSeconds: Double { seconds.sorted()[seconds.count / 2] }

    func sum(_ path: KeyPath<FilterReport, Int>) -> Int { reports.reduce(0) { $0 + $1[keyPath: path] } }
    func mean(_ path: KeyPath<FilterReport, Int>) -> Double { Double(sum(path)) / Double(max(1, reports.count)) }
}
