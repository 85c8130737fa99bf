import VitrineMath
import VitrineScene

/// Reads USDZ packages and USDC files: transforms, meshes, points, UsdPreviewSurface materials with their textures, as `ModelFile` writes them and
/// most exporters do.
///
/// Not read, with a warning: references, payloads, variants and sublayers; values over time; subdivision (the cage is shown), curves, skins,
/// lights and cameras. A package whose first layer is text (`.usda`) is refused.
struct USDReader {
    var stage: USDStage
    let file: String
    let resources: ModelResources
    var scene: Scene
    var materials: [Material] = []
    var textures: [ParsedTexture] = []
    /// By the prim.
    var materialsByPrim: [Int: Material] = [:]
    var texturesByKey: [String: Texture] = [:]
    let fallback = Material(name: "", baseColor: Color(white: 0.8), metalness: 0, roughness: 1)
    private var usesFallback = false

    /// What a file may unpack to.
    private static let budget = 1 << 28
    /// Prims below prims.
    private static let maximumDepth = 512

    /// - Parameter resources: The files beside a `.usdc`.
    static func read(
        _ bytes: [UInt8], format: ModelFormat, file: String, name: String, resources: ModelResources
    ) throws(ModelFileError) -> ParsedModel {
        guard format == .usdz else { return try read(layer: bytes, file: file, name: name, resources: resources) }
        let archive = try ZipArchive(bytes, file: file)
        guard let first = archive.entries.first else { throw ModelFileError(file: file, reason: .malformed("the package is empty")) }
        let layer = Array(bytes[first.range])
        guard ModelFormat(firstBytesOf: layer) == .usdc else {
            throw ModelFileError(file: file, place: first.name, reason: .unsupportedFormat(ModelFormat(firstBytesOf: layer) ?? .usda))
        }
        // Paths count from the layer's own folder.
        let folder = first.name.split(separator: "/").dropLast().joined(separator: "/")
        let inside = ModelResources { (path) throws(FileError) in
            let full = folder.isEmpty ? path : folder + "/" + path
            guard let entry = archive.entries.first(where: { $0.name == full }) else {
                throw FileError(path: path, reason: "is not in the package")
            }
            return Array(bytes[entry.range])
        }
        return try read(layer: layer, file: file, name: name, resources: inside)
    }

    private static func read(
        layer: [UInt8], file: String, name: String, resources: ModelResources
    ) throws(ModelFileError) -> ParsedModel {
        var reader = USDReader(
            stage: try USDStage(try CrateFile(layer, file: file, budget: budget)), file: file, resources: resources,
            scene: Scene(name: name))
        try reader.readTree()
        if reader.usesFallback { reader.materials.append(reader.fallback) }
        return ParsedModel(scene: reader.scene, materials: reader.materials, textures: reader.textures, warnings: reader.stage.warnings)
    }

    private init(stage: USDStage, file: String, resources: ModelResources, scene: Scene) {
        (self.stage, self.file, self.resources, self.scene) = (stage, file, resources, scene)
    }

    // MARK: The tree

    private mutating func readTree() throws(ModelFileError) {
        let top = Node(name: "")
        top.transform = try worldFromStage()
        let isMoved = top.transform != .identity
        let parent = isMoved ? top : scene.rootNode
        var stack = stage.roots.reversed().map { (prim: $0, parent: parent, depth: 0) }
        while let (prim, parent, depth) = stack.popLast() {
            guard depth < Self.maximumDepth else {
                throw ModelFileError(file: file, reason: .malformed("more than \(Self.maximumDepth) prims below prims"))
            }
            guard let node = try node(prim) else { continue }
            parent.addChildNode(node)
            for child in stage.prims[prim].children.reversed() { stack.append((child, node, depth + 1)) }
        }
        if isMoved { scene.rootNode.addChildNode(top) }
    }

    /// To metres and +Y up.
    private mutating func worldFromStage() throws(ModelFileError) -> Matrix4 {
        // A stage that says nothing is in centimetres.
        let metres = try stage.metadata("metersPerUnit")?.number ?? 0.01
        let scale = metres.isFinite && metres > 0 ? Float(metres) : 1
        let turn = try stage.metadata("upAxis")?.text == "Z" ? Matrix3(Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0)) : .identity
        return Matrix4(Matrix3(turn.x * scale, turn.y * scale, turn.z * scale))
    }

    /// nil for prims that are no part of the tree that is seen.
    private mutating func node(_ prim: Int) throws(ModelFileError) -> Node? {
        let type = stage.prims[prim].typeName
        // Definitions only: "over" and "class" wait for composition.
        if let specifier = try stage.field(prim, "specifier")?.number, specifier != 0 { return nil }
        if let active = try stage.field(prim, "active")?.number, active == 0 { return nil }
        if ["Material", "Shader", "NodeGraph", "GeomSubset"].contains(type) { return nil }
        let children = stage.prims[prim].children
        if type == "Scope", children.allSatisfy({ stage.prims[$0].typeName == "Material" }) { return nil }
        let name = try stage.field(prim, "displayName")?.text ?? stage.prims[prim].name
        let node = Node(name: name)
        if let matrix = try transform(prim) { node.transform = matrix }
        if try stage.value(prim, "visibility")?.text == "invisible" { node.isHidden = true }
        switch type {
        case "Mesh", "Points":
            if let geometry = try geometry(prim, isMesh: type == "Mesh") {
                node.mesh = Mesh(name: name, geometry: geometry, material: try material(boundTo: prim))
            }
        case "Xform", "Scope", "": break
        default: stage.warn(prim, "\"\(type.prefix(40))\" prims are not read")
        }
        return node
    }

    /// The material that a prim or one above it is bound to.
    private mutating func material(boundTo prim: Int) throws(ModelFileError) -> Material {
        var current: Int? = prim
        var steps = 0
        while let index = current, steps < Self.maximumDepth {
            if let target = try stage.target(index, "material:binding") {
                let material = try material(target.prim)
                if try stage.value(prim, "doubleSided")?.number == 1 { material.isDoubleSided = true }
                return material
            }
            current = stage.primOfPath[stage.crate.paths[stage.prims[index].path].parent]
            steps += 1
        }
        usesFallback = true
        return fallback
    }

    // MARK: Transforms

    /// The product of the prim's operations, the first outermost; nil where it has none.
    private mutating func transform(_ prim: Int) throws(ModelFileError) -> Matrix4? {
        guard case .texts(let names)? = try stage.value(prim, "xformOpOrder") else { return nil }
        var result = Matrix4.identity
        for name in names.prefix(64) {
            if name == "!resetXformStack!" {
                stage.warn(prim, "resetXformStack is not heeded")
                continue
            }
            let isInverse = name.hasPrefix("!invert!")
            let attribute = isInverse ? String(name.dropFirst(8)) : name
            guard let values = try stage.value(prim, attribute)?.numbers, let matrix = Self.operation(attribute, values.map { Float($0) })
            else {
                stage.warn(prim, "the operation \(attribute.prefix(60)) is not read")
                continue
            }
            result = result * (isInverse ? matrix.affineInverse : matrix)
        }
        let isFinite = [result.x, result.y, result.z, result.w].allSatisfy { ($0 * 0).sum() == 0 }
        if !isFinite { stage.warn(prim, "the transform is not finite") }
        return isFinite ? result : nil
    }

    private static func operation(_ name: String, _ v: [Float]) -> Matrix4? {
        func turn(_ degrees: Float, _ axis: Vector3) -> Matrix3 { Matrix3(Quaternion(angle: .degrees(degrees), axis: axis)) }
        let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)]
        let kind = name.split(separator: ":").dropFirst().first.map(String.init) ?? ""
        switch (kind, v.count) {
        case ("transform", 16):
            return Matrix4(
                Vector4(v[0], v[1], v[2], v[3]), Vector4(v[4], v[5], v[6], v[7]), Vector4(v[8], v[9], v[10], v[11]),
                Vector4(v[12], v[13], v[14], v[15]))
        case ("translate", 3): return Matrix4(translation: Vector3(v[0], v[1], v[2]))
        case ("scale", 3): return Matrix4(scale: Vector3(v[0], v[1], v[2]))
        case ("rotateX", 1): return Matrix4(turn(v[0], axes[0]))
        case ("rotateY", 1): return Matrix4(turn(v[0], axes[1]))
        case ("rotateZ", 1): return Matrix4(turn(v[0], axes[2]))
        // Stored x, y, z, w.
        case ("orient", 4): return Matrix4(Matrix3(Quaternion(vector: Vector4(v[0], v[1], v[2], v[3])).normalized))
        default:
            guard kind.hasPrefix("rotate"), kind.count == 9, v.count == 3 else { return nil }
            // The first letter turns first.
            var result = Matrix3.identity
            for letter in kind.suffix(3) {
                guard let axis = ["X", "Y", "Z"].firstIndex(of: String(letter)) else { return nil }
                result = turn(v[axis], axes[axis]) * result
            }
            return Matrix4(result)
        }
    }
}
