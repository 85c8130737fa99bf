import VitrineMath
import VitrineVision

/// Measures how far the viewpoint moves along a video.
///
/// Each frame is compared with the last *anchor*: an earlier sharp frame. Beyond `step` the frame becomes the next anchor, so that a hand's tremor does
/// not add up. The distance between two frames is twice the median parallax (what remains of the corners' motion after the similarity that
/// explains most of it) plus a quarter of the median motion, as fractions of the image's longer side, or of a small object before a plain background: 6°
/// around an object are about 0.06, a quarter of the image of a flat façade as well.
struct VideoPath {
    private static let step: Float = 0.045
    /// The distance beyond which a blurred frame may become an anchor, too.
    private static let longestStep: Float = 0.15
    private static let fewestMatches = 12
    /// The distance that a cut, or a motion too fast to follow, counts.
    private static let cut: Float = 0.12
    /// The median distance of corners from their middle that fill the image, as a fraction of its longer side.
    private static let fullSpread: Float = 0.25
    /// A cluster of corners smaller than this is no object.
    private static let smallestSpread: Float = 0.08
    /// Seconds without matches, because of blur or of a view without texture, that count like a cut.
    private static let patience = 0.4

    private var anchor: VideoFrameCorners?
    private var anchorPath: Float = 0
    private var previous: VideoFrameCorners?
    private var lastPath: Float = 0
    private var lastMatch = 0.0
    /// The sharpness of the sharpest recent frame.
    private var usualSharpness: Float = 0

    /// The path up to the next frame.
    mutating func advance(to corners: VideoFrameCorners, _ measure: VideoFrameMeasure) -> Float {
        defer { previous = corners }
        usualSharpness = max(measure.sharpness, usualSharpness * 0.98)
        let isSharp = measure.sharpness > 0.8 * usualSharpness
        guard let anchor else {
            setAnchor(corners, path: lastPath, measure.time)
            return lastPath
        }
        if let distance = Self.distance(anchor, corners) {
            (lastMatch, lastPath) = (measure.time, anchorPath + distance)
            if distance > Self.longestStep || distance > Self.step && isSharp { setAnchor(corners, path: lastPath, measure.time) }
        } else if let distance = previous.flatMap({ Self.distance($0, corners) }) {
            // The view has left the anchor.
            setAnchor(corners, path: lastPath + distance, measure.time)
        } else if isSharp && corners.positions.count >= Self.fewestMatches || measure.time - lastMatch > Self.patience {
            setAnchor(corners, path: lastPath + Self.cut, measure.time)
        }
        return lastPath
    }

    private mutating func setAnchor(_ corners: VideoFrameCorners, path: Float, _ time: Double) {
        (anchor, anchorPath, lastPath, lastMatch) = (corners, path, path, time)
    }

    /// nil for too few matches.
    private static func distance(_ first: VideoFrameCorners, _ second: VideoFrameCorners) -> Float? {
        var pairs: [(from: SIMD2<Float>, to: SIMD2<Float>)] = []
        for match in first.descriptors.matches(second.descriptors, ratio: 0.8) {
            let (from, to) = (first.positions[match.first], second.positions[match.second])
            if squaredDistance(from, to) < 0.3 * 0.3 { pairs.append((from, to)) }
        }
        guard pairs.count >= fewestMatches else { return nil }
        let shift = SIMD2(median(pairs.map { $0.to.x - $0.from.x }), median(pairs.map { $0.to.y - $0.from.y }))
        var similarity = Similarity(scale: SIMD2(1, 0), shift: shift)
        // Reweighted least squares: outliers and the foreground lose their weight.
        for _ in 0..<4 {
            let spread = max(0.002, median(pairs.map { similarity.residual($0.from, $0.to) }))
            similarity = Similarity(fitting: pairs) {
                1 / (1 + (similarity.residual($0, $1) / spread) * (similarity.residual($0, $1) / spread))
            }
        }
        let parallax = median(pairs.map { similarity.residual($0.from, $0.to) })
        let middle = SIMD2(median(pairs.map { $0.from.x }), median(pairs.map { $0.from.y }))
        let spread = median(pairs.map { squaredDistance($0.from, middle).squareRoot() })
        let size = min(1, max(smallestSpread, spread) / fullSpread)
        return (2 * parallax + 0.25 * (shift.x * shift.x + shift.y * shift.y).squareRoot()) / size
    }

    private static func median(_ values: [Float]) -> Float { values.sorted()[values.count / 2] }
}

/// A rotation, a scale and a shift of the image plane.
private struct Similarity {
    /// Real and imaginary part of the factor.
    var scale: SIMD2<Float>
    var shift: SIMD2<Float>

    init(scale: SIMD2<Float>, shift: SIMD2<Float>) { (self.scale, self.shift) = (scale, shift) }

    init(fitting pairs: [(from: SIMD2<Float>, to: SIMD2<Float>)], weight: (SIMD2<Float>, SIMD2<Float>) -> Float) {
        let weights = pairs.map { weight($0.from, $0.to) }
        let total = max(1e-9, weights.reduce(0, +))
        var (from, to) = (SIMD2<Float>.zero, SIMD2<Float>.zero)
        for (pair, weight) in zip(pairs, weights) {
            from += pair.from * weight
            to += pair.to * weight
        }
        (from, to) = (from / total, to / total)
        var (dot, cross, energy) = (Float(0), Float(0), Float(1e-9))
        for (pair, weight) in zip(pairs, weights) {
            let (a, b) = (pair.from - from, pair.to - to)
            dot += weight * (a.x * b.x + a.y * b.y)
            cross += weight * (a.x * b.y - a.y * b.x)
            energy += weight * (a.x * a.x + a.y * a.y)
        }
        let factor = SIMD2(dot, cross) / energy
        self.init(scale: factor, shift: to - Self.product(factor, from))
    }

    func residual(_ from: SIMD2<Float>, _ to: SIMD2<Float>) -> Float {
        squaredDistance(Self.product(scale, from) + shift, to).squareRoot()
    }

    private static func product(_ a: SIMD2<Float>, _ b: SIMD2<Float>) -> SIMD2<Float> {
        SIMD2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)
    }
}
