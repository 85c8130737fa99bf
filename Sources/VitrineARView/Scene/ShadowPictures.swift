import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Shadows on floors as pictures that lie there. What stands still in a room throws the same shadow in every frame, from wherever it is seen: it
/// is drawn once, from just above the floor, and then costs no more than a picture does. While something moves the floors catch shadows anew in
/// every frame.
struct ShadowPictures {
    /// Texels along a picture's longer side.
    private static let resolution: Float = 256
    /// From how far above a floor it is drawn, in metres: nothing that stands there gets in between.
    private static let height: Float = 0.002

    private var last: AnchoredScene.ShadowState?
    private var drawn: AnchoredScene.ShadowState?
    private var pictures: [Node] = []

    /// Puts pictures in place of the floors where the scene stands still, the floors in place of pictures where it moves.
    mutating func follow(_ content: AnchoredScene, _ renderer: Renderer) throws(RenderError) {
        let state = content.shadowState
        defer { last = state }
        if state == drawn { return }
        clear()
        show(content.floors.nodes, true)
        // The first frame of something new, or that of something which has moved and stands still now.
        guard last == nil || last == state || state.floors != last?.floors || state.objects != last?.objects else { return }
        for (index, piece) in content.floors.pieces.enumerated() {
            show(content.floors.nodes, false)
            content.floors.nodes[index].isHidden = false
            pictures.append(Self.node(try Self.picture(of: piece, content.scene, renderer), piece))
        }
        show(content.floors.nodes, false)
        for node in pictures { content.scene.rootNode.addChildNode(node) }
        drawn = state
    }

    private mutating func clear() {
        for node in pictures { node.removeFromParentNode() }
        (pictures, drawn) = ([], nil)
    }

    private func show(_ nodes: [Node], _ isShown: Bool) { for node in nodes { node.isHidden = !isShown } }

    /// The floor alone, from above: black, as opaque as light is kept off.
    private static func picture(of piece: ShadowFloors.Piece, _ scene: Scene, _ renderer: Renderer) throws(RenderError) -> Image {
        let area = piece.area
        let size = (area.size * (resolution / area.size.max())).rounded(.up).clamped(
            lowerBound: Vector2(repeating: 1), upperBound: Vector2(repeating: resolution))
        // Right along x, up along −z, back along the normal.
        let frame = piece.worldFromFloor
        let axes = Matrix3(normalize(frame.x.xyz), -normalize(frame.z.xyz), normalize(frame.y.xyz))
        let eye = frame.transform(point: Vector3(area.center.x, height, area.center.y))
        let camera = Camera(
            projection: .orthographic(scale: area.size.y / 2), near: height / 4, far: height * 2, aspectRatio: area.size.x / area.size.y)
        let target = try OffscreenTarget(renderer.device, width: Int(size.x), height: Int(size.y))
        try renderer.render(
            scene, from: View(camera: camera, worldFromCamera: Matrix4(axes, translation: eye)), to: target.view,
            options: RenderOptions(toneMapping: .none))
        return try target.image()
    }

    private static func node(_ picture: Image, _ piece: ShadowFloors.Piece) -> Node {
        let material = Material(name: "shadow", baseColor: .white)
        let sampler = Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge)
        material.baseColor.map = TextureMap(Texture(picture, sampler: sampler))
        (material.lightingModel, material.alphaMode) = (.constant, .blend)
        let area = piece.area
        let node = Node(name: "shadow", mesh: Mesh(geometry: .plane(width: area.size.x, height: area.size.y), material: material))
        node.castsShadow = false
        let place = Matrix4(Matrix3(Quaternion(angle: .degrees(-90), axis: .right)), translation: Vector3(area.center.x, 0, area.center.y))
        node.transform = piece.worldFromFloor * place
        return node
    }
}
