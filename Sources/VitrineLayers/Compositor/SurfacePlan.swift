import VitrineGPU
import VitrineMath
import VitrineScene

/// A picture that is put together of shapes and other pictures, in painter's order.
final class SurfacePlan {
    enum Source {
        case none
        case image(CachedTexture, FilterMode)
        /// Another picture, drawn before.
        case surface(SurfacePlan)
    }

    /// How coverage adds up with that of what is there.
    enum Joining: Hashable {
        case over
        /// Parts of pixels that the others leave free: sums.
        case beside
        /// Only where something is.
        case atop
    }

    struct Draw {
        var parts: LayerShader.Parts
        var source: Source
        /// Page of the masks' atlas; −1: none.
        var page: Int
        var blend: BlendMode
        /// In the frame's list.
        var instance: Int
        var joining = Joining.over
        /// Whose mask it is, where it has one; and whether that of the stroke.
        var mask: MaskAtlas.Token?
        var isStroke = false
    }

    /// What becomes of the picture once it is drawn, in this order.
    enum Step {
        /// With the layer's bounds, points.
        case effects([ShaderEffect], Rectangle)
        /// Standard deviation in texels.
        case blur(Float)
        case mask(SurfacePlan)
        /// All in texels.
        case shadow(Shadow, radius: Float, offset: Vector2)
    }

    /// The pixels that it may cover.
    let limit: PixelRectangle
    /// What is there before anything is drawn: premultiplied, linear.
    var background = Vector4()
    /// The pixels that are drawn to so far.
    private(set) var covered = PixelRectangle.zero
    var draws: [Draw] = []
    var steps: [Step] = []
    /// Its pixels: the plane's points times `scale`, plus `offset`.
    let scale: Double
    let offset: SIMD2<Double>
    /// What it depends on, once that is known: `SurfaceCache`.
    var content: SurfaceContent?

    init(limit: PixelRectangle, scale: Double, offset: SIMD2<Double> = SIMD2(0, 0)) {
        (self.limit, self.scale, self.offset) = (limit, scale, offset)
    }

    func add(_ draw: Draw, covering pixels: PixelRectangle) {
        covered = covered.union(pixels)
        draws.append(draw)
    }

    /// The groups that are put together before it, masks not among them: each once, though it be drawn in pieces, which follow each other.
    var innerPlans: [SurfacePlan] {
        var plans: [SurfacePlan] = []
        for draw in draws {
            if case .surface(let plan) = draw.source, plan !== plans.last { plans.append(plan) }
        }
        return plans
    }

    /// Makes it at least so large.
    func cover(_ pixels: PixelRectangle) { covered = covered.union(pixels.intersection(limit)) }

    /// The pixels that the finished picture has: what is drawn, and as far as its steps spread it. Sizes are multiples of 16, so that a
    /// picture whose layers move a little finds the texture of the last frame.
    var region: PixelRectangle {
        guard !covered.isEmpty else { return .zero }
        return covered.grown(by: spread).intersection(limit).roundedUp(to: 16)
    }

    /// How far its steps carry colour, in pixels.
    private var spread: Int {
        var pixels: Float = 0
        for step in steps {
            switch step {
            case .effects(let effects, _):
                for effect in effects where effect.isEnabled {
                    pixels += max(effect.maxSampleOffset.x, effect.maxSampleOffset.y, 0) * Float(scale) + 1
                }
            case .blur(let sigma): pixels += 3 * sigma + 1
            case .mask: break
            case .shadow(_, let radius, let offset): pixels += 3 * radius + 1 + max(abs(offset.x), abs(offset.y))
            }
        }
        return pixels > 0 ? Int(min(pixels, 16_384)) + 1 : 0
    }
}
