import VitrineMath
import VitrineVision

/// The measurements of a video frame that decide whether it becomes a photo.
struct VideoFrameMeasure: Equatable, Sendable {
    /// Seconds from the first frame.
    var time: Double
    /// 0…1, at the size of the first pass: see `Sharpness`.
    var sharpness: Float
    /// The mean luma, 0…1.
    var brightness: Float
    /// The fraction of pixels that are white or nearly so, 0…1.
    var clipped: Float
    /// The change of the viewpoint from the first frame, along the camera's path: see `VideoPath`.
    var path: Float = 0
}

/// Corners of a small image with descriptors.
struct VideoFrameCorners: Sendable {
    /// The positions of the corners, as fractions of the image's longer side.
    let positions: [SIMD2<Float>]
    let descriptors: DescriptorSet
}

/// Measures frames at low resolution: the first pass over a video.
enum VideoFrameMeter {
    /// The longer side at which sharpness is measured, pixels. Corners are detected at half of it.
    static let side = 640
    private static let cornerWidth = 320
    private static let cell = 40
    private static let cornersPerCell = 5
    /// The corner strength in squared grey levels per pixel: above the noise of a phone's video.
    private static let cornerStrength: Float = 10
    /// The blur that the descriptors assume, pixels: they span 15 times this.
    private static let scale: Float = 2

    static func measure(_ bytes: [UInt8], width: Int, height: Int, time: Double) -> (VideoFrameMeasure, VideoFrameCorners) {
        var sum = 0
        var clipped = 0
        for value in bytes {
            sum &+= Int(value)
            clipped &+= value >= 250 ? 1 : 0
        }
        let gray = GrayPlane(width: width, height: height, values: bytes.map { Float($0) * (1 / 255) })
        let count = Float(max(1, bytes.count))
        let measure = VideoFrameMeasure(
            time: time, sharpness: Sharpness.score(of: gray), brightness: Float(sum) / (255 * count), clipped: Float(clipped) / count)
        return (measure, corners(Plane(width: width, height: height, values: bytes)))
    }

    private static func corners(_ image: Plane<UInt8>) -> VideoFrameCorners {
        guard min(image.width, image.height) >= 64 else { return VideoFrameCorners(positions: [], descriptors: DescriptorSet([])) }
        var pyramid = ImagePyramid()
        pyramid.build(image, maximumWidth: max(cornerWidth, cornerWidth * image.width / max(image.width, image.height)), levels: 1)
        let level = pyramid.levels[0]
        var detector = CornerDetector(side: cell)
        var corners: [SIMD2<Float>] = []
        for y in stride(from: 0, to: level.height, by: cell) {
            for x in stride(from: 0, to: level.width, by: cell) {
                corners += detector.corners(
                    level, x: x, y: y, margin: 4, minimumStrength: cornerStrength, distance: 5, count: cornersPerCell
                ).map(\.position)
            }
        }
        var describer = CornerDescriber()
        // A camera is held nearly level between two frames: upright descriptors distinguish more corners.
        let described = level.values.withUnsafeBufferPointer { values in
            describer.describe(
                values.baseAddress! + level.origin, width: level.width, height: level.height, stride: level.stride, corners: corners,
                angles: Array(repeating: 0, count: corners.count), scale: scale)
        }
        let unit = 1 / Float(max(level.width, level.height))
        return VideoFrameCorners(
            positions: described.owners.map { corners[Int($0)] * unit }, descriptors: described.descriptors)
    }
}
