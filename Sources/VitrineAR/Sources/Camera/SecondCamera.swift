import VitrineVision

/// The second camera of a live stereo pair: finds the frame that was exposed with one of the first camera.
struct SecondCamera {
    /// The largest difference between the exposure times of a pair in nanoseconds: synchronized cameras stay below a millisecond.
    private static let tolerance: Int64 = 3_000_000
    /// Milliseconds that a frame of the first camera waits for its partner.
    private static let timeout: Int32 = 100

    let path: String
    let driver: any FrameDriver
    let layout: CameraFrameLayout
    /// A frame that is newer than the first camera's last one.
    private var pending: (nanoseconds: Int64, luma: Plane<UInt8>)?

    init(_ path: String, _ driver: sending any FrameDriver, _ layout: CameraFrameLayout) {
        (self.path, self.driver, self.layout) = (path, driver, layout)
    }

    /// Forgets frames from before a stop.
    mutating func reset() { pending = nil }

    /// Returns the luma of the frame that was exposed at a time of the monotonic clock; nil if there is none, which is a problem.
    ///
    /// - Parameter report: Receives problems.
    mutating func luma(at nanoseconds: Int64, _ report: (_ reason: String) -> Void) throws(SourceError) -> Plane<UInt8>? {
        while true {
            guard let frame = try newest(report) else {
                report("delivered no frame for one of the first camera")
                return nil
            }
            let difference = frame.nanoseconds - nanoseconds
            if difference > Self.tolerance {
                pending = frame
                report("exposed \(difference / 1_000_000) ms after the first camera: the cameras are not synchronized")
                return nil
            }
            if difference >= -Self.tolerance { return frame.luma }
        }
    }

    private mutating func newest(_ report: (String) -> Void) throws(SourceError) -> (nanoseconds: Int64, luma: Plane<UInt8>)? {
        if let frame = pending {
            pending = nil
            return frame
        }
        while let frame = try driver.next(timeout: Self.timeout) {
            guard !frame.isDamaged else {
                report("a frame that the driver reports as damaged")
                continue
            }
            do throws(SourceError) {
                return (frame.nanoseconds, try layout.image(frame.bytes).luma)
            } catch {
                report(error.description)
            }
        }
        return nil
    }
}
