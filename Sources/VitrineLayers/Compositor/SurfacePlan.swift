import VitrineGPU
import VitrineMath
import VitrineScene

/// The plan of a surface: shapes and other surfaces in painter's order.
final class SurfacePlan {
    enum Source {
        case none
        case image(CachedTexture, FilterMode)
        /// Another surface, drawn before.
        case surface(SurfacePlan)
    }

    /// How coverage combines with that of the target.
    enum Joining: Hashable {
        case over
        /// Draws parts that do not overlap within a pixel, so that their coverages add up.
        case beside
        /// Draws only where the target is covered.
        case atop
    }

    struct Draw {
        var parts: LayerShader.Parts
        var source: Source
        /// The page of the mask atlas; −1 for none.
        var page: Int
        var blend: BlendMode
        /// The index in the frame's list of instances.
        var instance: Int
        var joining = Joining.over
        /// The outline of the mask, if there is one, and whether the mask is that of the stroke.
        var mask: MaskAtlas.Token?
        var isStroke = false
    }

    /// The passes over the drawn surface, in this order.
    enum Step {
        /// Effects, with the layer's bounds in points.
        case effects([ShaderEffect], Rectangle)
        /// A blur with a standard deviation in texels.
        case blur(Float)
        case mask(SurfacePlan)
        /// A shadow, with all lengths in texels.
        case shadow(Shadow, radius: Float, offset: Vector2)
    }

    /// The pixels that the surface may cover.
    let limit: PixelRectangle
    /// The initial colour: premultiplied and linear.
    var background = Vector4()
    /// The pixels covered so far.
    private(set) var covered = PixelRectangle.zero
    var draws: [Draw] = []
    var steps: [Step] = []
    /// The number of pixels per point: pixels are the plane's points times `scale`, plus `offset`.
    let scale: Double
    let offset: SIMD2<Double>
    /// The content, once `SurfaceCache` has computed it.
    var content: SurfaceContent?

    init(limit: PixelRectangle, scale: Double, offset: SIMD2<Double> = SIMD2(0, 0)) {
        (self.limit, self.scale, self.offset) = (limit, scale, offset)
    }

    func add(_ draw: Draw, covering pixels: PixelRectangle) {
        covered = covered.union(pixels)
        draws.append(draw)
    }

    /// The inner surfaces, without masks and duplicates. The pieces of one surface are consecutive.
    var innerPlans: [SurfacePlan] {
        var plans: [SurfacePlan] = []
        for draw in draws {
            if case .surface(let plan) = draw.source, plan !== plans.last { plans.append(plan) }
        }
        return plans
    }

    /// Extends the covered pixels.
    func cover(_ pixels: PixelRectangle) { covered = covered.union(pixels.intersection(limit)) }

    /// The pixels of the finished surface: the covered pixels, extended by its steps. Sizes are multiples of 16, so that a surface whose layers move
    /// slightly reuses the texture of the previous frame.
    var region: PixelRectangle {
        guard !covered.isEmpty else { return .zero }
        return covered.grown(by: spread).intersection(limit).roundedUp(to: 16)
    }

    /// The distance in pixels over which its steps spread colour.
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
