import VitrineGPU
import VitrineMath
import VitrineScene

/// The environment's shadow on a flat receiver, as a texture that is kept while only the camera moves.
///
/// A pixel of a receiver reads the maps of 16 directions 28 times each. If two frames in a row show the same shadow, the second draws it into the
/// texture, over the receiver's own x and y, and this frame and the next ones read it once per pixel. Shadows of lights, whose edges may be
/// sharp, are computed in every frame.
final class ReceivedShadow {
    /// Texels along an edge.
    static let size = 512

    /// Everything that the shadow depends on.
    private struct State: Equatable {
        let receiver, geometry, environment: ObjectIdentifier
        let intensity: Float
        let ambient: Vector3
        let views: [ShadowView]
        let weights: [Float]
        let casters: [ShadowCasters.Caster]
        let scene: FrameShadows.SceneState
    }

    /// The texture of a frame.
    struct Texture {
        let batch: Int32
        let view: GPUTextureView
        /// `placement` of the shader.
        let placement: GPUBuffer
        /// Whether the frame draws it.
        let isNew: Bool
    }

    /// The draw of a new texture.
    struct Draw {
        let pipeline: GPURenderPipeline
        let material: GPUBindGroup
        let mesh: MeshDraw
        let target: GPUTextureView
    }

    private let device: GPUDevice
    private var texture: (view: GPUTextureView, placement: GPUBuffer)?
    /// The state of the last frame, and the one that the texture shows.
    private var last, drawn: State?
    /// The number of frames that drew the texture, and of those that only read it, for tests.
    private(set) var uses = (drawn: 0, kept: 0)

    init(_ device: GPUDevice) { self.device = device }

    /// Bytes of GPU memory.
    var memory: Int { texture == nil ? 0 : Self.size * Self.size }

    /// Frees the texture.
    func purge() { (texture, last, drawn) = (nil, nil, nil) }

    /// The texture that a frame reads; nil if it computes the shadow.
    func texture(
        of draws: SceneDraws, _ scene: Scene, _ shadows: FrameShadows, _ lights: LightList, _ options: RenderOptions
    ) throws(GPUError) -> Texture? {
        let previous = last
        last = nil
        guard !shadows.isEmpty, lights.count == 0, options.lightSample.count == 1, options.debugView == nil,
            let image = scene.environment.image, let batch = draws.onlyReceiver, draws.hasSolidCasters(shadows)
        else { return nil }
        let receiver = draws.list.batches[Int(batch)]
        let state = State(
            receiver: ObjectIdentifier(receiver.material), geometry: ObjectIdentifier(receiver.geometry),
            environment: ObjectIdentifier(image),
            intensity: scene.environment.intensity, ambient: lights.ambient, views: shadows.plan.views,
            weights: shadows.environment.weights,
            casters: shadows.plan.casters.casters, scene: shadows.scene)
        last = state
        if let texture, state == drawn {
            uses.kept += 1
            return Texture(batch: batch, view: texture.view, placement: texture.placement, isNew: false)
        }
        guard state == previous else { return nil }
        if texture == nil { texture = try makeTexture() }
        guard let made = texture else { return nil }
        device.queue.write(value: Self.placement(of: receiver.geometry.bounds), to: made.placement)
        return Texture(batch: batch, view: made.view, placement: made.placement, isNew: true)
    }

    /// Records that the last frame drew the texture, or did not.
    func finish(drewTexture: Bool) {
        guard drewTexture else { return }
        drawn = last
        uses.drawn += 1
    }

    private func makeTexture() throws(GPUError) -> (view: GPUTextureView, placement: GPUBuffer) {
        let texture = try device.makeTexture(
            GPUTextureDescriptor(
                "received shadow", size: GPUExtent(Self.size, Self.size), format: .r8Unorm, usage: [.renderAttachment, .textureBinding]))
        return (try texture.makeView(), try device.makeBuffer("received shadow", size: 16, usage: [.uniform, .copyDestination]))
    }

    /// Scale and offset from x and y of the receiver's own frame to texture coordinates.
    private static func placement(of bounds: BoundingBox) -> Vector4 {
        let (low, size) = (bounds.minimum, bounds.maximum - bounds.minimum)
        return Vector4(1 / size.x, -1 / size.y, -low.x / size.x, bounds.maximum.y / size.y)
    }
}

extension SceneDraws {
    /// The batch of the only visible shadow receiver, if it is flat: a rigid mesh in the plane of its own x and y.
    fileprivate var onlyReceiver: Int32? {
        let receivers = visible.draws.filter { list.batches[Int($0.batch)].material.isShadowReceiver }
        guard receivers.count == 1, let draw = receivers.first, draw.count == 1 else { return nil }
        let batch = list.batches[Int(draw.batch)]
        let extent = batch.geometry.bounds.maximum - batch.geometry.bounds.minimum
        guard batch.deformed < 0, batch.material.surfaceFunction == nil, extent.z == 0, extent.x > 0, extent.y > 0, extent.isFinite
        else { return nil }
        return draw.batch
    }

    /// Whether no caster has holes, whose textures may change without notice.
    fileprivate func hasSolidCasters(_ shadows: FrameShadows) -> Bool {
        shadows.set.draws.allSatisfy { draw in
            let material = list.batches[Int(draw.batch)].material
            return material.alphaMode == .opaque && material.layer == .opaque && !draw.isTranslucent
        }
    }
}
