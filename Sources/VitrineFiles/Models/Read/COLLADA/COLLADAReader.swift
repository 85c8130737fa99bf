import VitrineMath
import VitrineScene

/// Reads COLLADA 1.4 and 1.5 (`.dae`), and packages of it (`.zae`): the visual scene with its hierarchy, geometry, materials of the common
/// profile, skins, morphs, cameras, lights and animations. One node at the top converts to metres and +Y up, so that nothing below changes.
///
/// Colors are interpreted as sRGB, as most COLLADA programs do. Physics, kinematics and shader profiles are ignored with a warning.
final class COLLADAReader {
    let files: COLLADAFiles
    let file: String
    let scene: Scene
    var warnings: [ModelWarning] = []
    private var warningCounts: [String: Int] = [:]

    /// Metres a unit of the file.
    var metres: Float = 1
    /// All nodes, in order of creation.
    var placed: [PlacedNode] = []
    var placedByElement: [XMLElement: [PlacedNode]] = [:]
    var controllersToBind: [ControllerInstance] = []

    /// What materials say about ambient light apart from their colour.
    var ambientColors: [(material: Material, color: Vector3, element: XMLElement)] = []

    var streams: [XMLElement: Stream] = [:]
    var primitives: [XMLElement: PrimitiveElements] = [:]
    var canonicalIndices: [XMLElement: [Int32]] = [:]
    var geometries: [XMLElement: [BuiltPart]] = [:]
    var meshes: [MeshKey: Mesh] = [:]
    var skins: [XMLElement: SkinData] = [:]
    var morphs: [XMLElement: MorphData] = [:]
    var controllerGeometries: [XMLElement: [Geometry]] = [:]
    var morphedNodes: [MorphedNode] = []
    var targetFloats = 0
    var materials: [Material] = []
    var materialsByElement: [XMLElement: ReadMaterial] = [:]
    var textures: [ParsedTexture] = []
    var texturesByKey: [String: Texture] = [:]
    var imageCount = 0
    var imagesByPath: [String: (index: Int, bytes: [UInt8])] = [:]
    let fallback = Material(name: "", baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
    private var usesFallback = false

    /// Instances of instances may multiply.
    static let maximumNodes = 1 << 17
    private static let maximumWarnings = 512

    static func read(_ bytes: [UInt8], file: String, name: String, resources: ModelResources) throws(ModelFileError) -> ParsedModel {
        guard bytes.starts(with: [0x50, 0x4B]) else { return try read(document: bytes, file: file, name: name, resources: resources) }
        let package = try COLLADAPackage(bytes, file: file)
        let document = try package.documentName()
        guard let entry = package.archive.entries.first(where: { $0.name == document }) else {
            throw ModelFileError(file: file, place: document, reason: .malformed("is not in the archive"))
        }
        return try read(
            document: try package.archive.bytes(of: entry), file: file, name: COLLADAFiles.baseName(document), title: name,
            resources: package.resources(besides: document))
    }

    private static func read(
        document: [UInt8], file: String, name: String, title: String? = nil, resources: ModelResources
    ) throws(ModelFileError) -> ParsedModel {
        let tree = try XMLTree.parse(document, file: file)
        guard tree.root.name == "COLLADA" else { throw ModelFileError(file: file, reason: .malformed("the root element is not <COLLADA>")) }
        let reader = COLLADAReader(
            files: COLLADAFiles(main: tree, name: name, resources: resources), file: file, scene: Scene(name: title ?? name))
        try reader.run()
        if reader.usesFallback { reader.materials.append(reader.fallback) }
        return ParsedModel(scene: reader.scene, materials: reader.materials, textures: reader.textures, warnings: reader.warnings)
    }

    private init(files: COLLADAFiles, file: String, scene: Scene) {
        (self.files, self.file, self.scene) = (files, file, scene)
        files.warn = { [unowned self] in warn($0, $1) }
    }

    func fallbackMaterial() -> Material {
        usesFallback = true
        return fallback
    }

    /// Adds a warning. Repeats of the same kind are limited to three, plus a note that there are more.
    func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) {
        let count = warningCounts[kind ?? message, default: 0]
        warningCounts[kind ?? message] = count + 1
        guard count < 4, warnings.count < Self.maximumWarnings else { return }
        let place = element.map { $0.tree === files.main ? $0.place : "\($0.tree.file):\($0.place)" } ?? ""
        warnings.append(ModelWarning(place: place, message: count < 3 ? message : message + " (and more of this)"))
    }

    // MARK: The scene

    private func run() throws(ModelFileError) {
        let root = files.main.root
        reportWhatIsIgnored(root)
        guard let visualScene = try visualScene(root) else {
            warn(root, "has no visual scene: the scene is empty")
            return
        }
        let asset = root.child("asset")
        metres = unit(asset)
        let top = Node(name: "")
        top.transform = worldFromInside(visualScene)
        let isMoved = top.transform != .identity
        let parent = isMoved ? top : scene.rootNode
        var tops: [PlacedNode] = []
        for element in visualScene.children("node") { tops += try place(element, below: parent, at: visualScene, depth: 0) }
        if isMoved { scene.rootNode.addChildNode(top) }
        if scene.name.isEmpty { scene.name = visualScene.title }
        try bindControllers(SkeletonSearch(visualScene: visualScene, tops: tops, parent: parent))
        fitAmbientColors()
        try readAnimations(root)
    }

    /// The scene that is instantiated, else the first.
    private func visualScene(_ root: XMLElement) throws(ModelFileError) -> XMLElement? {
        if let instance = root.child("scene", "instance_visual_scene") {
            if let found = try files.resolve(instance["url"], from: instance), found.name == "visual_scene" { return found }
            warn(instance, "the visual scene \"\(instance["url"] ?? "")\" does not exist: the first one is used")
        }
        return root.child("library_visual_scenes", "visual_scene")
    }

    private func reportWhatIsIgnored(_ root: XMLElement) {
        let ignored: Set = [
            "library_physics_scenes", "library_physics_models", "library_physics_materials", "library_force_fields",
            "library_kinematics_scenes", "library_kinematics_models", "library_articulated_systems", "library_joints", "library_formulas",
        ]
        for library in root.children where ignored.contains(library.name) && library.children.contains(where: { $0.name != "asset" }) {
            warn(library, "<\(library.name)> is not supported")
        }
    }
}

/// A node of the scene. Several nodes may come from one element.
final class PlacedNode {
    let element: XMLElement
    let node: Node
    let steps: [TransformStep]
    var children: [PlacedNode] = []

    init(element: XMLElement, node: Node, steps: [TransformStep]) { (self.element, self.node, self.steps) = (element, node, steps) }
}
