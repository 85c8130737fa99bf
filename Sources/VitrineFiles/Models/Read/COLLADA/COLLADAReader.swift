import VitrineMath
import VitrineScene

/// Reads COLLADA 1.4 and 1.5 (`.dae`), and packages of it (`.zae`): the visual scene with its hierarchy, geometry, materials of the common
/// profile, skins, morphs, cameras, lights and animations. One root node converts to metres and +Y up, so that the nodes below are unchanged.
///
/// Colours are interpreted as sRGB, as most COLLADA programs do. Physics, kinematics and shader profiles are ignored with a warning.
final class COLLADAReader {
    let files: COLLADAFiles
    private let scene: Scene
    private let streams: COLLADAStreams
    private let geometries: COLLADAGeometries
    private let materials: COLLADAMaterials
    private let deformers: COLLADADeformers
    private lazy var controllers = COLLADAControllers(self, geometries, deformers)

    /// The length of the file's unit in metres.
    private var metres: Float = 1
    /// The nodes, in order of creation.
    private var placed: [PlacedNode] = []
    /// The nodes of each element.
    private(set) var placedByElement: [XMLElement: [PlacedNode]] = [:]
    private var meshes: [MeshKey: Mesh] = [:]

    /// Limits nested instances, which multiply.
    private static let (maximumNodes, maximumDepth) = (1 << 17, 512)

    static func read(_ bytes: [UInt8], file: String, name: String, resources: ModelResources) throws(ModelFileError) -> ParsedModel {
        guard bytes.starts(with: [0x50, 0x4B]) else { return try read(document: bytes, file: file, name: name, resources: resources) }
        let package = try COLLADAPackage(bytes, file: file)
        let document = try package.documentName()
        guard let entry = package.archive.entries.first(where: { $0.name == document }) else {
            throw ModelFileError(file: file, location: document, reason: .malformed("is not in the archive"))
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
            COLLADAFiles(main: tree, name: name, resources: resources), scene: Scene(name: title ?? name))
        try reader.run()
        return ParsedModel(
            scene: reader.scene, materials: reader.materials.all, textures: reader.materials.textures, warnings: reader.files.warnings)
    }

    private init(_ files: COLLADAFiles, scene: Scene) {
        (self.files, self.scene) = (files, scene)
        streams = COLLADAStreams(files)
        geometries = COLLADAGeometries(streams)
        materials = COLLADAMaterials(files)
        deformers = COLLADADeformers(streams, geometries)
    }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    // MARK: The scene

    private func run() throws(ModelFileError) {
        let root = files.main.root
        reportIgnoredElements(root)
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
        try controllers.bind(SkeletonSearch(visualScene: visualScene, tops: tops, parent: parent))
        var ambientLight = Vector3(repeating: 0)
        for entry in placed { if let light = entry.node.light, light.kind == .ambient { ambientLight += light.linearIntensity } }
        materials.fitAmbientColors(to: ambientLight)
        let animations = COLLADAAnimations(streams, deformers, nodes: placedByElement, morphedNodes: controllers.morphedNodes)
        scene.animations += try animations.clips(root)
    }

    /// Returns the instantiated scene, or else the first one.
    private func visualScene(_ root: XMLElement) throws(ModelFileError) -> XMLElement? {
        if let instance = root.child("scene", "instance_visual_scene") {
            if let found = try files.resolve(instance["url"], from: instance), found.name == "visual_scene" { return found }
            warn(instance, "the visual scene \"\(instance["url"] ?? "")\" does not exist; the first one is used")
        }
        return root.child("library_visual_scenes", "visual_scene")
    }

    private func reportIgnoredElements(_ root: XMLElement) {
        let ignored: Set = [
            "library_physics_scenes", "library_physics_models", "library_physics_materials", "library_force_fields",
            "library_kinematics_scenes", "library_kinematics_models", "library_articulated_systems", "library_joints", "library_formulas",
        ]
        for library in root.children where ignored.contains(library.name) && library.children.contains(where: { $0.name != "asset" }) {
            warn(library, "<\(library.name)> is not supported")
        }
    }
}

/// A node of the scene. Several nodes may be created from one element.
final class PlacedNode {
    let element: XMLElement
    let node: Node
    let steps: [TransformStep]
    fileprivate(set) var children: [PlacedNode] = []

    init(element: XMLElement, node: Node, steps: [TransformStep]) { (self.element, self.node, self.steps) = (element, node, steps) }
}

extension COLLADAReader {
    /// Returns the length of the unit in metres; 1 if the file does not specify it.
    private func unit(_ asset: XMLElement?) -> Float {
        guard let unit = asset?.child("unit"), let text = unit["meter"] ?? unit["meters"] else { return 1 }
        guard let metres = Float(text.replacing(",", with: ".")), metres > 1e-12, metres < 1e12 else {
            warn(unit, "the unit of \"\(text.prefix(40))\" metres is invalid and is replaced by 1")
            return 1
        }
        return metres
    }

    /// Returns the rotation from the axes of an asset to +Y up.
    private func turn(_ asset: XMLElement?) -> Matrix3 {
        switch asset?.child("up_axis")?.text {
        case "Z_UP": Matrix3(Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
        case "X_UP": Matrix3(Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        default: .identity
        }
    }

    /// Returns the nearest asset with this child, from the element outwards.
    private func asset(_ child: String, of element: XMLElement) -> XMLElement? {
        var current: XMLElement? = element
        while let found = current {
            if let asset = found.child("asset"), asset.child(child) != nil { return asset }
            current = found.parent
        }
        return nil
    }

    /// Returns the transform from the units and axes inside an element to metres and +Y up.
    private func worldFromInside(_ element: XMLElement) -> Matrix4 {
        let turn = turn(asset("up_axis", of: element))
        let metres = unit(asset("unit", of: element))
        return Matrix4(Matrix3(turn.x * metres, turn.y * metres, turn.z * metres))
    }

    /// Returns the rotation of a camera whose asset has other axes than its surroundings; nil if they are equal. A camera looks into the image with its
    /// own axes: for +Z up that is +Y (COLLADA 1.4.1, `up_axis`).
    private func turn(ofCamera camera: XMLElement) -> Matrix4? {
        guard let asset = camera.child("asset"), asset.child("up_axis") != nil else { return nil }
        let linear = turn(asset).transpose * turn(camera.tree.root.child("asset"))
        return linear == .identity ? nil : Matrix4(linear)
    }

    /// Returns the transform from the units and axes of an element with its own asset to those of its surroundings; nil if they are equal.
    ///
    /// The surroundings are those of the document in which the element is written: the asset of a library does not apply to instances. Only an element
    /// of another document is converted to the units of the element that instantiates it, if its document specifies its units.
    private func change(of element: XMLElement, at parentElement: XMLElement?) -> Matrix4? {
        var outside = element.parent
        if let parentElement, parentElement.tree !== element.tree {
            outside = parentElement
        } else if element.child("asset") == nil {
            return nil
        }
        guard let outside else { return nil }
        var scale: Float = 1
        if let inner = asset("unit", of: element) { scale = unit(inner) / unit(asset("unit", of: outside)) }
        var linear = Matrix3.identity
        if let inner = asset("up_axis", of: element) { linear = turn(asset("up_axis", of: outside)).transpose * turn(inner) }
        linear = Matrix3(linear.x * scale, linear.y * scale, linear.z * scale)
        return linear == .identity ? nil : Matrix4(linear)
    }
}

extension COLLADAReader {
    /// Creates a node with its descendants. Throws for instances that nest endlessly.
    ///
    /// - Parameters:
    ///   - parentElement: The element that contains or instantiates the node, whose units and axes apply.
    ///   - isSkeleton: Whether to create only transforms, without meshes, cameras and lights.
    /// - Returns: The node.
    func place(
        _ element: XMLElement, below parent: Node, at parentElement: XMLElement?, depth: Int, isSkeleton: Bool = false
    ) throws(ModelFileError) -> [PlacedNode] {
        guard depth < Self.maximumDepth else { throw element.failure("nodes are nested more than \(Self.maximumDepth) deep") }
        guard placed.count < Self.maximumNodes else { throw element.failure("more than \(Self.maximumNodes) nodes") }
        let node = Node(name: element.title)
        var steps: [TransformStep] = []
        if let change = change(of: element, at: parentElement) { steps.append(TransformStep(change, element: element)) }
        for child in element.children { if let step = try TransformStep(child) { steps.append(step) } }
        if !steps.isEmpty {
            let matrix = TransformStep.product(steps)
            guard Self.isFinite(matrix) else { throw element.failure("the transform is not finite") }
            node.transform = matrix
        }
        let entry = PlacedNode(element: element, node: node, steps: steps)
        placed.append(entry)
        placedByElement[element, default: []].append(entry)
        parent.addChildNode(node)
        for child in element.children { try read(child, into: entry, depth: depth, isSkeleton: isSkeleton) }
        return [entry]
    }

    static func isFinite(_ matrix: Matrix4) -> Bool {
        [matrix.x, matrix.y, matrix.z, matrix.w].allSatisfy { ($0 * 0).sum() == 0 }
    }

    private func read(_ child: XMLElement, into entry: PlacedNode, depth: Int, isSkeleton: Bool) throws(ModelFileError) {
        switch child.name {
        case "node":
            entry.children += try place(child, below: entry.node, at: entry.element, depth: depth + 1, isSkeleton: isSkeleton)
        case "instance_node":
            // The attribute "proxy" refers to a substitute; the url refers to the node itself.
            if let target = try resolved(child, "node") {
                entry.children += try place(target, below: entry.node, at: child, depth: depth + 1, isSkeleton: isSkeleton)
            }
        case _ where isSkeleton: break
        case "instance_geometry":
            guard let geometry = try resolved(child, "geometry") else { return }
            let parts = try geometries.parts(of: geometry)
            guard let mesh = try mesh(geometry, parts: parts, variant: nil, instance: child) else { return }
            guard let change = change(of: geometry, at: child) else {
                show(mesh, on: entry)
                return
            }
            let node = added(mesh.name, below: entry.node)
            (node.mesh, node.transform) = (mesh, change)
        case "instance_controller":
            if let controller = try resolved(child, "controller") { try controllers.place(controller, instance: child, on: entry) }
        case "instance_camera":
            if let camera = try resolved(child, "camera"), let read = try self.camera(camera) {
                let turn = turn(ofCamera: camera)
                let node = entry.node.camera == nil && turn == nil ? entry.node : added(camera.title, below: entry.node)
                if let turn { node.transform = turn }
                node.camera = read
            }
        case "instance_light":
            if let light = try resolved(child, "light") { try place(light: light, on: entry) }
        default: break
        }
    }

    /// Returns the target of an instance; nil, with a warning, if it does not exist.
    private func resolved(_ instance: XMLElement, _ name: String) throws(ModelFileError) -> XMLElement? {
        let target = try files.resolve(instance["url"], from: instance)
        guard let target, target.name == name else {
            warn(instance, "there is no <\(name)> \"\((instance["url"] ?? "").prefix(80))\"")
            return nil
        }
        return target
    }

    private func added(_ name: String, below parent: Node) -> Node {
        let node = Node(name: name)
        parent.addChildNode(node)
        return node
    }

    /// Adds a mesh to the node, or if that has one, to a new child node.
    @discardableResult
    func show(_ mesh: Mesh, on entry: PlacedNode) -> Node {
        let node = entry.node.mesh == nil ? entry.node : added(mesh.name, below: entry.node)
        node.mesh = mesh
        return node
    }
}

/// The key of instances that share a mesh.
struct MeshKey: Hashable {
    let geometry: XMLElement
    /// The controller, if one deforms the vertices.
    let variant: XMLElement?
    let materials: [ObjectIdentifier]
}

extension COLLADAReader {
    /// Returns the mesh of a geometry with the materials that an instance binds; nil if it is empty.
    ///
    /// - Parameter geometries: The geometries that replace those of the parts, by part.
    func mesh(
        _ geometry: XMLElement, parts: [BuiltPart], variant: XMLElement?, instance: XMLElement, geometries: [Geometry]? = nil,
        morphWeights: [Float] = []
    ) throws(ModelFileError) -> Mesh? {
        guard !parts.isEmpty else { return nil }
        let bindings = instance.child("bind_material", "technique_common")?.children("instance_material") ?? []
        var bound: [String: XMLElement] = [:]
        for binding in bindings { if let symbol = binding["symbol"], bound[symbol] == nil { bound[symbol] = binding } }
        var chosen: [Material] = []
        for part in parts {
            if let material = try materials.material(bound[part.symbol], part: part) {
                chosen.append(material)
            } else {
                chosen.append(try unbound(part, instance: instance))
            }
        }
        let key = MeshKey(geometry: geometry, variant: variant, materials: chosen.map { ObjectIdentifier($0) })
        if let known = meshes[key] { return known }
        if let isDoubleSided = COLLADAMaterials.isDoubleSided(geometry) {
            for material in chosen { material.isDoubleSided = isDoubleSided }
        }
        let drawn = parts.indices.map { MeshPart(geometry: geometries?[$0] ?? parts[$0].geometry, material: chosen[$0]) }
        let mesh = Mesh(name: geometry.title, parts: drawn, morphWeights: morphWeights)
        meshes[key] = mesh
        return mesh
    }

    /// Returns the material of a part without a binding: old programs refer to a material by its id.
    private func unbound(_ part: BuiltPart, instance: XMLElement) throws(ModelFileError) -> Material {
        guard !part.symbol.isEmpty else { return materials.fallbackMaterial() }
        if let element = try files.resolve("#" + part.symbol, from: part.primitive.element), element.name == "material",
            let found = try materials.material(element, binding: nil, part: part)
        {
            return found
        }
        warn(instance, "no material is bound to \"\(part.symbol.prefix(80))\"")
        return materials.fallbackMaterial()
    }
}

extension COLLADAReader {
    /// Reads a camera; returns nil, with a warning, if its projection is invalid.
    private func camera(_ element: XMLElement) throws(ModelFileError) -> Camera? {
        guard let optics = element.child("optics", "technique_common") else {
            warn(element, "the camera has no common optics")
            return nil
        }
        guard let kind = optics.child("perspective") ?? optics.child("orthographic") else {
            warn(optics, "the camera is neither perspective nor orthographic")
            return nil
        }
        let metres = element.child("asset", "unit") == nil ? self.metres : unit(element.child("asset"))
        func number(_ name: String) throws(ModelFileError) -> Float? {
            guard let value = try kind.child(name)?.float(), value.isFinite else { return nil }
            return value
        }
        var near = (try number("znear") ?? 0.1) * metres
        var far = (try number("zfar") ?? .infinity) * metres
        if kind.name == "perspective", near <= 0 {
            warn(kind, "znear must be greater than 0; it is replaced by a millimetre")
            near = 0.001
        }
        near = max(near, 0)
        if far <= near {
            warn(kind, "zfar must be greater than znear; it is replaced by infinity")
            far = .infinity
        }
        let aspect = try number("aspect_ratio").flatMap { $0 > 0 ? $0 : nil }
        if kind.name == "perspective" {
            return perspective(kind, try number("xfov"), try number("yfov"), aspect, near: near, far: far)
        }
        return orthographic(
            kind, try number("xmag").map { $0 * metres }, try number("ymag").map { $0 * metres }, aspect, near: near, far: far)
    }

    private func perspective(_ kind: XMLElement, _ xfov: Float?, _ yfov: Float?, _ aspect: Float?, near: Float, far: Float) -> Camera? {
        func tangent(_ degrees: Float) -> Float { tan(Angle.degrees(clamp(degrees, 0.01, 179)).radians / 2) }
        // An aspect ratio without further sizes is that of the window of the author and must not stretch the image in other windows.
        var ratio: Float?
        let vertical: Float
        switch (xfov, yfov) {
        case (let x?, let y?):
            vertical = tangent(y)
            ratio = tangent(x) / vertical
        case (nil, let y?): vertical = tangent(y)
        case (let x?, nil):
            if aspect == nil { warn(kind, "the camera has only a horizontal field of view, which is used for a square image") }
            vertical = tangent(x) / (aspect ?? 1)
        case (nil, nil):
            warn(kind, "the camera has no field of view; 45° is used")
            vertical = tangent(45)
        }
        return Camera(
            projection: .perspective(fieldOfView: .radians(2 * atan2(vertical, 1))), near: near, far: far, aspectRatio: ratio)
    }

    private func orthographic(_ kind: XMLElement, _ xmag: Float?, _ ymag: Float?, _ aspect: Float?, near: Float, far: Float) -> Camera? {
        var ratio: Float?
        let scale: Float
        switch (xmag, ymag) {
        case (let x?, let y?):
            scale = abs(y)
            if y != 0, x != 0 { ratio = abs(x / y) }
        case (nil, let y?): scale = abs(y)
        case (let x?, nil):
            if aspect == nil { warn(kind, "the camera has only xmag, which is used for a square image") }
            scale = abs(x) / (aspect ?? 1)
        case (nil, nil):
            warn(kind, "the camera has neither xmag nor ymag")
            return nil
        }
        guard scale > 0, scale.isFinite else {
            warn(kind, "xmag and ymag must not be 0")
            return nil
        }
        return Camera(projection: .orthographic(scale: scale), near: near, far: far, aspectRatio: ratio)
    }
}

extension COLLADAReader {
    private func place(light element: XMLElement, on entry: PlacedNode) throws(ModelFileError) {
        guard let technique = element.child("technique_common"),
            let kind = technique.children.first(where: { ["ambient", "directional", "point", "spot"].contains($0.name) })
        else {
            warn(element, "the light has no common technique")
            return
        }
        let numbers = try kind.child("color")?.floats(limit: 16) ?? [1, 1, 1]
        let color = COLLADAMaterials.linear(numbers)
        let node = entry.node.light == nil ? entry.node : added(element.title, below: entry.node)
        switch kind.name {
        case "ambient": node.light = Light(.ambient, color: Color(linear: Vector4(color, 1)))
        case "directional":
            // A surface that faces the light has its colour times that of the light, which corresponds to π lux.
            node.light = Light(.directional, color: Color(linear: Vector4(color, 1)), intensity: .pi)
        default:
            node.light = Light(try kind.name == "spot" ? cone(kind) : .point, color: Color(linear: Vector4(color, 1)))
            try attenuate(&node.light, kind)
        }
    }

    /// Sets the attenuation of a light: at distance d, in units of the file, the light is divided by constant + linear · d + quadratic ·
    /// d²; where that is 1, it is π lux.
    private func attenuate(_ light: inout Light?, _ kind: XMLElement) throws(ModelFileError) {
        func factor(_ name: String, _ standard: Float) throws(ModelFileError) -> Float {
            guard let value = try kind.child(name)?.float(), value.isFinite, value >= 0 else { return standard }
            return value
        }
        var constant = try factor("constant_attenuation", 1)
        let (linear, quadratic) = (try factor("linear_attenuation", 0), try factor("quadratic_attenuation", 0))
        if constant + linear + quadratic == 0 {
            warn(kind, "all attenuation factors are 0; the light is not attenuated")
            constant = 1
        }
        if constant == 0, linear == 0 {
            light?.intensity = .pi * metres * metres / quadratic
        } else {
            light?.intensity = .pi
            light?.attenuation = .polynomial(constant: constant, linear: linear / metres, quadratic: quadratic / (metres * metres))
        }
    }

    /// Returns the cone: COLLADA has the whole angle and an exponent of the cosine; Vitrine's cone is full inside and fades to the edge.
    private func cone(_ kind: XMLElement) throws(ModelFileError) -> Light.Kind {
        let degrees = try kind.child("falloff_angle")?.float() ?? 180
        let exponent = try kind.child("falloff_exponent")?.float() ?? 0
        let outer = clamp(Angle.degrees(clamp(degrees.isFinite ? degrees : 180, 0.02, 360) / 2).radians, 1e-4, .pi / 2)
        guard exponent.isFinite, exponent > 0 else { return .spot(inner: .radians(outer * 0.99), outer: .radians(outer)) }
        let inner = Self.inner(ofExponent: exponent, outer: outer)
        warn(kind, "a fall-off of cos^\(exponent) in the cone is approximated by a soft edge", kind: "falloff exponent")
        return .spot(inner: .radians(min(inner, outer * 0.99)), outer: .radians(outer))
    }

    /// Returns the inner angle. Vitrine's intensity decreases from the inner to the outer angle with the square of the relative cosine, COLLADA's as
    /// cosⁿ. Both are a half at the same angle.
    static func inner(ofExponent exponent: Float, outer: Float) -> Float {
        let (edge, half) = (cos(outer), pow(0.5, 1 / exponent))
        return half <= edge ? outer * 0.99 : acos(clamp(edge + (half - edge) / Float(0.5).squareRoot(), -1, 1))
    }

    static func exponent(ofInner inner: Float, outer: Float) -> Float {
        let half = cos(outer) + Float(0.5).squareRoot() * (cos(inner) - cos(outer))
        return log(Float(0.5)) / log(clamp(half, 1e-6, 0.999_999))
    }
}
