import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Caches shadows on receivers as textures. A static object has the same shadow in every frame: it is rendered once, from just above the
/// receiver. While objects move, shadows are rendered in every frame at a lower resolution.
final class ReceiverShadows {
    /// Texels along a map's longer side, for static and for moving objects.
    private static let resolution = (still: Float(160), moving: Float(56))
    /// The height of the camera above the receiver in metres: below all objects.
    private static let height: Float = 0.002

    /// The width of the fade towards the plane's edges, relative to the longer side of the receiver's area.
    private static let fade: Float = 0.1

    private let device: GPUDevice
    private let pass: ReceiverShadowPass
    private var last: AnchoredScene.ShadowState?
    private var drawn: (state: AnchoredScene.ShadowState, isMoving: Bool)?
    /// The shadow map of each receiver; nil without a shadow.
    private var maps: [ReceiverShadowMap?] = []
    private var pieces: [ReceiverShadowPass.Piece] = []
    private var version = -1

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        pass = try ReceiverShadowPass(device)
    }

    /// The corners of each shadow in the world.
    var regions: [[Vector3]] { pieces.map { $0.surface.corners(of: $0.map.area) } }

    /// Updates the maps to the scene.
    func update(_ content: AnchoredScene, _ renderer: Renderer) throws(RenderError) {
        let state = content.shadowState
        defer { last = state }
        // New objects and corrected receivers count as static.
        let isMoving = last.map { $0.objects == state.objects && $0.poses != state.poses } ?? false
        if drawn?.state != state || (drawn?.isMoving == true && !isMoving) {
            maps = try maps(content, renderer, isMoving: isMoving)
            drawn = (state, isMoving)
            version = -1
        }
        guard version != content.receivers.version else { return }
        version = content.receivers.version
        pieces = try attempting { () throws(GPUError) in try pieces(content.receivers) }
    }

    private func maps(
        _ content: AnchoredScene, _ renderer: Renderer, isMoving: Bool
    ) throws(RenderError) -> [ReceiverShadowMap?] {
        // A wide light for the receivers, a point-like one in the view: see `AnchoredScene.light`.
        content.light.light?.angularDiameter = content.lightDiameter
        defer { content.light.light?.angularDiameter = .zero }
        var maps: [ReceiverShadowMap?] = []
        for (index, piece) in content.receivers.pieces.enumerated() {
            let receiver = content.receivers.nodes[index]
            receiver.isHidden = false
            defer { receiver.isHidden = true }
            let image = try image(of: piece.surface, content.scene, renderer, isMoving: isMoving)
            maps.append(try attempting { () throws(GPUError) in try ReceiverShadowMap(image, of: piece.surface.area, device) })
        }
        return maps
    }

    /// Renders the receiver from above: black, with the shadow as alpha. Right is x, up is −z.
    private func image(
        of surface: ShadowReceivers.Surface, _ scene: Scene, _ renderer: Renderer, isMoving: Bool
    ) throws(RenderError) -> Image {
        let area = surface.area
        let resolution = isMoving ? Self.resolution.moving : Self.resolution.still
        let size = (area.size * (resolution / area.size.max())).rounded(.up).clamped(
            lowerBound: Vector2(repeating: 1), upperBound: Vector2(repeating: resolution))
        let frame = surface.worldFromReceiver
        let axes = Matrix3(normalize(frame.x.xyz), -normalize(frame.z.xyz), normalize(frame.y.xyz))
        let eye = frame.transform(point: Vector3(area.center.x, Self.height, area.center.y))
        let camera = Camera(
            projection: .orthographic(scale: area.size.y / 2), near: Self.height / 4, far: Self.height * 2,
            aspectRatio: area.size.x / area.size.y)
        let target = try OffscreenTarget(device, width: Int(size.x), height: Int(size.y))
        var options = RenderOptions(sampleCount: 1, toneMapping: .none)
        options.environmentShadowResolution = isMoving ? 64 : 256
        try renderer.render(
            scene, from: View(camera: camera, worldFromCamera: Matrix4(axes, translation: eye)), to: target.view, options: options)
        return try target.image()
    }

    private func pieces(_ receivers: ShadowReceivers) throws(GPUError) -> [ReceiverShadowPass.Piece] {
        var pieces: [ReceiverShadowPass.Piece] = []
        for (piece, map) in zip(receivers.pieces, maps) {
            guard let map else { continue }
            // At least one edge: a binding is not empty.
            let edges = piece.edges.isEmpty ? [.zero, .zero] : piece.edges
            pieces.append(
                ReceiverShadowPass.Piece(
                    surface: piece.surface, map: map,
                    corners: try device.makeBuffer("receiver", contents: piece.triangles, usage: .vertex),
                    cornerCount: piece.triangles.count,
                    edges: try device.makeBuffer("plane's edges", contents: edges, usage: .storage),
                    edgeCount: piece.edges.count / 2, fade: Self.fade * piece.surface.area.size.max()))
        }
        return pieces
    }

    /// The share of light that shadows leave in a region of the view, 0…1; nil without shadows.
    ///
    /// - Parameter occluder: The occluder, as for `Renderer.render`.
    func mask(_ view: PinholeView, _ region: PixelRectangle, occluder: GPUTextureView?) throws(GPUError) -> GPUTextureView? {
        guard !pieces.isEmpty else { return nil }
        return try pass.draw(pieces, clipFromWorld: view.clipFromWorld(of: region), region, occluder: occluder)
    }

    private func attempting<T>(_ body: () throws(GPUError) -> T) throws(RenderError) -> T {
        do throws(GPUError) { return try body() } catch { throw .gpu(error, doing: "rendering shadows on receivers") }
    }
}
