import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Shadows on floors as pictures that lie there. What stands still in a room throws the same shadow in every frame, from wherever it is seen: it
/// is drawn once, from just above the floor, and then costs no more than a picture does. While something moves they are drawn anew in every
/// frame, coarsely.
final class ReceiverShadows {
    /// Texels along a picture's longer side, where things stand still, and while they move.
    private static let resolution = (still: Float(160), moving: Float(56))
    /// From how far above a floor it is drawn, in metres: nothing that stands there gets in between.
    private static let height: Float = 0.002

    private let device: GPUDevice
    private let pass: ReceiverShadowPass
    private var last: AnchoredScene.ShadowState?
    private var drawn: (state: AnchoredScene.ShadowState, isMoving: Bool)?
    /// By the floors' pieces; nil where nothing is dark.
    private var pictures: [ReceiverShadowMap?] = []
    private var pieces: [ReceiverShadowPass.Piece] = []
    private var version = -1

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        pass = try ReceiverShadowPass(device)
    }

    /// Where shadows lie, in the world: the corners of each.
    var places: [[Vector3]] { pieces.map { $0.surface.corners(of: $0.picture.area) } }

    /// Brings the pictures to what the scene is now.
    func follow(_ content: AnchoredScene, _ renderer: Renderer) throws(RenderError) {
        let state = content.shadowState
        defer { last = state }
        // Also what appears, and a floor that is corrected under it, stands still.
        let isMoving = last.map { $0.objects == state.objects && $0.poses != state.poses } ?? false
        if drawn?.state != state || (drawn?.isMoving == true && !isMoving) {
            pictures = try pictures(content, renderer, isMoving: isMoving)
            drawn = (state, isMoving)
            version = -1
        }
        guard version != content.floors.version else { return }
        version = content.floors.version
        pieces = try attempting { () throws(GPUError) in try pieces(content.floors) }
    }

    private func pictures(
        _ content: AnchoredScene, _ renderer: Renderer, isMoving: Bool
    ) throws(RenderError) -> [ReceiverShadowMap?] {
        // A wide lamp for the floors, a point of light in the view: see `AnchoredScene.lamp`.
        content.lamp.light?.angularDiameter = content.lightDiameter
        defer { content.lamp.light?.angularDiameter = .zero }
        var pictures: [ReceiverShadowMap?] = []
        for (index, piece) in content.floors.pieces.enumerated() {
            let floor = content.floors.nodes[index]
            floor.isHidden = false
            defer { floor.isHidden = true }
            let image = try image(of: piece.surface, content.scene, renderer, isMoving: isMoving)
            pictures.append(try attempting { () throws(GPUError) in try ReceiverShadowMap(image, of: piece.surface.area, device) })
        }
        return pictures
    }

    /// The floor alone, from above: black, as opaque as light is kept off. Right along x, up along −z.
    private func image(
        of surface: ShadowReceivers.Surface, _ scene: Scene, _ renderer: Renderer, isMoving: Bool
    ) throws(RenderError) -> Image {
        let area = surface.area
        let resolution = isMoving ? Self.resolution.moving : Self.resolution.still
        let size = (area.size * (resolution / area.size.max())).rounded(.up).clamped(
            lowerBound: Vector2(repeating: 1), upperBound: Vector2(repeating: resolution))
        let frame = surface.worldFromFloor
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

    private func pieces(_ floors: ShadowReceivers) throws(GPUError) -> [ReceiverShadowPass.Piece] {
        var pieces: [ReceiverShadowPass.Piece] = []
        for (piece, picture) in zip(floors.pieces, pictures) {
            guard let picture else { continue }
            pieces.append(
                ReceiverShadowPass.Piece(
                    surface: piece.surface, picture: picture,
                    corners: try device.makeBuffer("floor", contents: piece.triangles, usage: .vertex),
                    cornerCount: piece.triangles.count))
        }
        return pieces
    }

    /// How much light shadows leave in a part of the view, 0…1; nil where there are none.
    ///
    /// - Parameter occluder: As of `Renderer.render`.
    func mask(_ view: PinholeView, _ region: PixelRegion, occluder: GPUTextureView?) throws(GPUError) -> GPUTextureView? {
        guard !pieces.isEmpty else { return nil }
        return try pass.draw(pieces, clipFromWorld: view.clipFromWorld(of: region), region, occluder: occluder)
    }

    private func attempting<T>(_ body: () throws(GPUError) -> T) throws(RenderError) -> T {
        do throws(GPUError) { return try body() } catch { throw .gpu(error, doing: "drawing shadows on floors") }
    }
}
