import VitrineMath
import VitrineScene

/// A scene as a USD layer: metres, +Y up, one root prim that is the default, the nodes below it, materials in a scope of their own.
///
/// After OpenUSD's schemas (UsdGeom, UsdShade) and the "UsdPreviewSurface Specification" (Pixar), within what ARKit's readers take: meshes
/// without subdivision, PNG and JPEG textures, one surface shader a material.
struct USDWriter {
    let contents: SceneContents
    var pool: TexturePool
    let options: ModelWriteOptions
    var layer = USDLayer()
    var warnings: [ModelWarning]
    /// Before the textures' names.
    let texturePrefix: String
    /// Paths of the materials, in the order of `contents.materials`.
    private var materialPaths: [String] = []
    /// By index of the mesh: where its parts lie, for meshes that several nodes show.
    private var prototypes: [Int: [String]] = [:]
    /// By index of the material.
    private(set) var usesOfMaterials: [MaterialUse]
    /// What moves.
    let motion: USDMotion
    /// Skeletons, those of skins first, then one for each mesh that has blend shapes without a skin.
    var skeletons: [USDSkeletonPlan] = []

    /// The parts that have a material.
    struct MaterialUse {
        var isUsed = false
        /// Whether all of them have colours of vertices.
        var hasColoursEverywhere = true
    }

    init(_ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, texturePrefix: String) {
        (self.contents, self.pool, self.options, self.texturePrefix) = (contents, pool, options, texturePrefix)
        warnings = contents.warnings + contents.losses(.opacity)
        usesOfMaterials = Array(repeating: MaterialUse(), count: contents.materials.count)
        for part in contents.parts.joined() {
            let index = contents.index(of: part.material)
            usesOfMaterials[index].isUsed = true
            if part.geometry.attribute(.color(set: 0)) == nil { usesOfMaterials[index].hasColoursEverywhere = false }
        }
        motion = USDMotion(contents)
        warnings += motion.warnings
    }

    /// A package: the binary layer first, then the textures.
    static func usdz(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String
    ) throws(ModelFileError) -> EncodedModel {
        var writer = USDWriter(contents, pool: pool, options: options, texturePrefix: "textures/texture_")
        try writer.build()
        var archive = ZipStore()
        var isWhole = archive.add("model.usdc", CrateWriter.write(writer.layer))
        for (index, image) in writer.pool.images.enumerated() {
            isWhole = isWhole && archive.add(writer.fileName(ofImage: index), image.bytes)
        }
        guard isWhole else { throw contents.failure("the package would have more than 4 GB") }
        return EncodedModel(files: [.init(name: name, bytes: archive.finished())], warnings: writer.warnings)
    }

    /// A layer with its textures beside it.
    static func layer(
        _ contents: SceneContents, pool: TexturePool, options: ModelWriteOptions, name: String, isText: Bool
    ) throws(ModelFileError) -> EncodedModel {
        var writer = USDWriter(contents, pool: pool, options: options, texturePrefix: ModelFile.stem(name) + "_")
        try writer.build()
        let bytes = isText ? USDText.write(writer.layer) : CrateWriter.write(writer.layer)
        let textures = writer.pool.images.enumerated().map {
            EncodedModel.File(name: writer.fileName(ofImage: $0.offset), bytes: $0.element.bytes)
        }
        return EncodedModel(files: [.init(name: name, bytes: bytes)] + textures, warnings: writer.warnings)
    }

    func fileName(ofImage index: Int) -> String { "\(texturePrefix)\(index).\(pool.images[index].pathExtension)" }

    private mutating func build() throws(ModelFileError) {
        planSkeletons()
        let root = layer.add(skeletons.isEmpty ? "Xform" : "SkelRoot", named: contents.name.isEmpty ? "Model" : contents.name, below: nil)
        layer.prims[root].metadata.append(("kind", .token("component")))
        layer.metadata = [
            ("defaultPrim", .token(layer.prims[root].name)), ("documentation", .string(options.generator)), ("metersPerUnit", .double(1)),
            ("upAxis", .token("Y")),
        ]
        layer.metadata += motion.metadata
        if !contents.materials.isEmpty {
            let scope = layer.add("Scope", named: "Materials", below: root)
            for material in contents.materials { materialPaths.append(try add(material, below: scope)) }
        }
        addPrototypes()
        for index in skeletons.indices { addSkeleton(index, below: root) }
        let joints = pureJoints()
        var prims: [Int: Int] = [:]
        for (index, entry) in contents.entries.enumerated() where !joints.contains(index) {
            let prim = layer.add(typeName(of: entry), named: entry.node.name, below: entry.parent.flatMap { prims[$0] } ?? root)
            prims[index] = prim
            add(entry, index, to: prim, isLeaf: entry.children.allSatisfy { joints.contains($0) })
        }
    }

    private mutating func add(_ entry: SceneContents.Entry, _ index: Int, to prim: Int, isLeaf: Bool) {
        place(entry, index, at: prim)
        addCameraAndLight(of: entry, to: prim)
        guard let mesh = entry.mesh else { return }
        guard let prototype = prototypes[mesh] else {
            for part in contents.parts[mesh] { add(part, of: contents.meshes[mesh], shownBy: index, below: prim) }
            return
        }
        if isLeaf, entry.node.camera == nil, entry.node.light == nil {
            layer.prims[prim].reference = USDPath.parent(prototype[0])
            layer.prims[prim].isInstance = true
            return
        }
        for path in prototype {
            let name = USDPath.name(path)
            let copy = layer.add("", named: name, below: prim)
            layer.prims[copy].reference = path
        }
    }

    /// Writes meshes of several nodes once, in a class.
    private mutating func addPrototypes() {
        var users = Array(repeating: 0, count: contents.meshes.count)
        var skinned = Array(repeating: false, count: contents.meshes.count)
        for entry in contents.entries {
            guard let mesh = entry.mesh else { continue }
            if entry.skin == nil { users[mesh] += 1 } else { skinned[mesh] = true }
        }
        var scope: Int?
        for (index, mesh) in contents.meshes.enumerated() where users[index] > 1 && contents.morphTargetCount(ofMesh: index) == 0 {
            guard !skinned[index] else { continue }
            let prototypes = scope ?? layer.add("", named: "Prototypes", below: nil)
            scope = prototypes
            layer.prims[prototypes].specifier = .class
            let holder = layer.add("Xform", named: mesh.name.isEmpty ? "Mesh" : mesh.name, below: prototypes)
            for part in contents.parts[index] { add(part, of: mesh, shownBy: nil, below: holder) }
            let paths = layer.prims[holder].children.map { layer.prims[$0].path }
            if !paths.isEmpty { self.prototypes[index] = paths }
        }
    }

    /// USD multiplies rows from the left: our columns are its rows.
    static func matrix(_ m: Matrix4) -> USDValue { .matrix4(rows(m)) }

    static func rows(_ m: Matrix4) -> [Double] {
        [m.x, m.y, m.z, m.w].flatMap { [Double($0.x), Double($0.y), Double($0.z), Double($0.w)] }
    }

    mutating func leaveOut(_ what: String, at place: String) {
        warnings.append(ModelWarning(place: place, message: "\(what): not written"))
    }

    // MARK: Geometry

    /// - Parameter entry: the node; nil for a prototype.
    private mutating func add(_ part: MeshPart, of mesh: Mesh, shownBy entry: Int?, below node: Int) {
        let geometry = part.geometry
        let place = "mesh \"\(mesh.name)\""
        let prim: Int
        switch geometry.topology {
        case .triangles, .triangleStrip, .triangleFan:
            prim = layer.add("Mesh", named: mesh.name, below: node)
            addTriangles(geometry, contents.material(of: part), to: prim)
        case .points: prim = layer.add("Points", named: mesh.name, below: node)
        case .lines, .lineLoop, .lineStrip: return leaveOut("lines", at: place)
        }
        finish(prim, part, place)
        if let entry, layer.prims[prim].typeName == "Mesh" {
            addSkin(geometry, ofEntry: entry, to: prim)
            addBlendShapes(geometry, ofEntry: entry, to: prim)
        }
    }

    private mutating func addTriangles(_ geometry: Geometry, _ material: Material, to prim: Int) {
        if material.isDoubleSided { layer.prims[prim].set("doubleSided", "bool", .bool(true), isUniform: true) }
        let indices = geometry.triangleIndices
        layer.prims[prim].set("faceVertexCounts", "int[]", .integers(Array(repeating: 3, count: indices.count / 3)))
        layer.prims[prim].set("faceVertexIndices", "int[]", .integers(indices.map { Int32(bitPattern: $0) }))
        layer.prims[prim].set("subdivisionScheme", "token", .token("none"), isUniform: true)
    }

    /// What meshes and points share: places, directions, colours, coordinates, material.
    private mutating func finish(_ prim: Int, _ part: MeshPart, _ place: String) {
        let geometry = part.geometry
        let box = geometry.bounds
        layer.prims[prim].set("extent", "float3[]", .float3s(box.minimum.array + box.maximum.array))
        for attribute in geometry.attributes {
            switch attribute.semantic {
            case .position: layer.prims[prim].set("points", "point3f[]", .float3s(attribute.values))
            case .normal:
                layer.prims[prim].set("normals", "normal3f[]", .float3s(UnitVectors.normals(attribute.values)), interpolation: "vertex")
            case .textureCoordinate(let set):
                // Up, where ours goes down.
                var values = attribute.values
                for index in stride(from: 1, to: values.count, by: 2) { values[index] = 1 - values[index] }
                layer.prims[prim].set("primvars:\(Self.primvar(set))", "texCoord2f[]", .float2s(values), interpolation: "vertex")
            case .color(set: 0): addColours(attribute, contents.material(of: part), to: prim, place)
            // Readers compute tangents from normals and coordinates, and the viewer computes the harmonics.
            case .tangent, .occlusionHarmonics: break
            // Written with the skin.
            case .joints, .weights: break
            default: leaveOut("\(attribute.semantic)", at: place)
            }
        }
        layer.prims[prim].apiSchemas.append("MaterialBindingAPI")
        layer.prims[prim].relate("material:binding", to: materialPaths[contents.index(of: part.material)])
    }

    static func primvar(_ set: Int) -> String { set == 0 ? "st" : "st\(set)" }

    private mutating func addColours(_ attribute: VertexAttribute, _ material: Material, to prim: Int, _ place: String) {
        let width = attribute.componentCount
        let count = attribute.vertexCount
        let isRead = readsColours(material)
        var colours: [Float] = []
        colours.reserveCapacity(count * 3)
        let factor = isRead ? material.baseColor.factor.xyz * material.baseColor.intensity : Vector3(repeating: 1)
        for vertex in 0..<count {
            for channel in 0..<3 { colours.append(attribute.values[vertex * width + channel] * factor[channel]) }
        }
        layer.prims[prim].set("primvars:displayColor", "color3f[]", .float3s(colours), interpolation: "vertex")
        if layer.prims[prim].typeName == "Mesh", !isRead {
            warnings.append(
                ModelWarning(place: place, message: "colours of vertices: kept as displayColor, which shows only without the material"))
        }
        if width == 4 {
            let opacities = (0..<count).map { attribute.values[$0 * 4 + 3] }
            layer.prims[prim].set("primvars:displayOpacity", "float[]", .floats(opacities), interpolation: "vertex")
        }
    }
}
