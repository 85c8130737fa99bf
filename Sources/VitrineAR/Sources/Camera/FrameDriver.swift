import CVideoDevice

/// A camera's driver: what a `CameraDevice` asks for frames.
protocol FrameDriver: AnyObject {
    /// Frames come from now on.
    func start() throws(SourceError)
    /// It rests; `start` wakes it again.
    func stop()
    /// The next frame; nil where none came in time. Its bytes are the driver's, until it is asked for something else.
    /// - Parameter patience: milliseconds.
    func next(patience: Int32) throws(SourceError) -> DrivenFrame?
}

struct DrivenFrame {
    let bytes: UnsafeBufferPointer<UInt8>
    /// When it was exposed, on the monotonic clock.
    let nanoseconds: Int64
    /// The driver calls it damaged.
    let isFlawed: Bool
}

/// Video4Linux 2; closed with us.
final class VideoDriver: FrameDriver {
    let path: String
    let format: vitrine_video_format
    private let handle: OpaquePointer

    init(_ path: String, options: CameraDevice.Options) throws(SourceError) {
        var format = vitrine_video_format()
        var error = [CChar](repeating: 0, count: 200)
        let codes = CameraFrameLayout.Kind.allCases.map(\.code)
        let handle = vitrine_video_open(
            path, codes, codes.count, UInt32(clamping: options.width), UInt32(clamping: options.height),
            UInt32(clamping: options.framesPerSecond), &format, &error)
        guard let handle else { throw Self.error(path, error) }
        (self.path, self.format, self.handle) = (path, format, handle)
    }

    deinit { vitrine_video_close(handle) }

    func start() throws(SourceError) {
        var error = [CChar](repeating: 0, count: 200)
        guard vitrine_video_start(handle, &error) == 1 else { throw Self.error(path, error) }
    }

    func stop() { vitrine_video_stop(handle) }

    func next(patience: Int32) throws(SourceError) -> DrivenFrame? {
        var (bytes, count, nanoseconds, flawed): (UnsafePointer<UInt8>?, Int, Int64, Int32) = (nil, 0, 0, 0)
        var error = [CChar](repeating: 0, count: 200)
        let answer = vitrine_video_next(handle, patience, &bytes, &count, &nanoseconds, &flawed, &error)
        guard answer >= 0 else { throw Self.error(path, error) }
        guard answer == 1, let bytes else { return nil }
        return DrivenFrame(
            bytes: UnsafeBufferPointer(start: bytes, count: count), nanoseconds: nanoseconds, isFlawed: flawed != 0)
    }

    private static func error(_ path: String, _ text: [CChar]) -> SourceError {
        .broken("\(path): \(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))")
    }
}
