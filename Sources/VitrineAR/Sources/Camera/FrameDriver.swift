import CVideoDevice

/// A camera driver.
protocol FrameDriver: AnyObject {
    /// Starts capture.
    func start() throws(SourceError)
    /// Stops capture.
    func stop()
    /// Returns the next frame; nil after a timeout. Its bytes are valid until the next call.
    ///
    /// - Parameter timeout: The longest time to wait in milliseconds.
    func next(timeout: Int32) throws(SourceError) -> DrivenFrame?
}

struct DrivenFrame {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The exposure time on the monotonic clock.
    let nanoseconds: Int64
    /// Whether the driver reports it as damaged.
    let isDamaged: Bool
}

/// The Video4Linux 2 driver; closes the device on release.
final class VideoDriver: FrameDriver {
    let path: String
    let format: vitrine_video_format
    private let handle: OpaquePointer

    init(_ path: String, width: Int, height: Int, framesPerSecond: Int) throws(SourceError) {
        var format = vitrine_video_format()
        var error = [CChar](repeating: 0, count: 200)
        let codes = CameraFrameLayout.Kind.allCases.map(\.code)
        let handle = vitrine_video_open(
            path, codes, codes.count, UInt32(clamping: width), UInt32(clamping: height), UInt32(clamping: framesPerSecond), &format, &error)
        guard let handle else { throw Self.error(path, error) }
        (self.path, self.format, self.handle) = (path, format, handle)
    }

    deinit { vitrine_video_close(handle) }

    func start() throws(SourceError) {
        var error = [CChar](repeating: 0, count: 200)
        guard vitrine_video_start(handle, &error) == 1 else { throw Self.error(path, error) }
    }

    func stop() { vitrine_video_stop(handle) }

    func next(timeout: Int32) throws(SourceError) -> DrivenFrame? {
        var (bytes, count, nanoseconds, flawed): (UnsafePointer<UInt8>?, Int, Int64, Int32) = (nil, 0, 0, 0)
        var error = [CChar](repeating: 0, count: 200)
        let answer = vitrine_video_next(handle, timeout, &bytes, &count, &nanoseconds, &flawed, &error)
        guard answer >= 0 else { throw Self.error(path, error) }
        guard answer == 1, let bytes else { return nil }
        return DrivenFrame(
            bytes: UnsafeBufferPointer(start: bytes, count: count), nanoseconds: nanoseconds, isDamaged: flawed != 0)
    }

    private static func error(_ path: String, _ text: [CChar]) -> SourceError {
        .broken("\(path): \(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))")
    }
}
