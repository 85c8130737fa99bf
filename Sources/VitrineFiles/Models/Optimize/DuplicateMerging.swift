import VitrineMath
import VitrineScene

/// Merges equal objects: textures by their bytes and sampler, materials and geometries by their values, meshes by their parts.
struct DuplicateMerging {
    let keepsNames: Bool
    private var textures: [TextureKey: Texture] = [:]
    private var materials: [MaterialKey: Material] = [:]
    private var geometries: [GeometryKey: [Geometry]] = [:]
    private var known: [ObjectIdentifier: Geometry] = [:]
    private var meshes: [MeshKey: Mesh] = [:]
    private var removed = (
        textures: Set<ObjectIdentifier>(), materials: Set<ObjectIdentifier>(), geometries: Set<ObjectIdentifier>(),
        meshes: Set<ObjectIdentifier>()
    )

    init(keepsNames: Bool) { self.keepsNames = keepsNames }

    /// Merges equal textures, materials, geometries and meshes.
    ///
    /// - Returns: A summary for the report.
    static func run(_ scene: Scene, keepsNames: Bool) -> String {
        var merging = DuplicateMerging(keepsNames: keepsNames)
        let nodes = scene.visibleNodes
        var seen: Set<ObjectIdentifier> = []
        let unique = nodes.compactMap(\.mesh).filter { seen.insert(ObjectIdentifier($0)).inserted }
        var materialsSeen: Set<ObjectIdentifier> = []
        for mesh in unique {
            for part in mesh.parts {
                for material in part.allMaterials where materialsSeen.insert(ObjectIdentifier(material)).inserted {
                    merging.mergeTextures(of: material)
                }
            }
        }
        for mesh in unique { merging.mergeParts(of: mesh) }
        for node in nodes {
            guard let mesh = node.mesh else { continue }
            let shared = merging.shared(mesh)
            if shared !== mesh { node.mesh = shared }
        }
        return merging.summary
    }

    private var summary: String {
        let counts = [
            (removed.textures.count, "texture"), (removed.materials.count, "material"), (removed.geometries.count, "geometry"),
            (removed.meshes.count, "mesh"),
        ]
        return OptimizeText.list(counts, verb: "merged")
    }

    // MARK: Textures

    private struct TextureKey: Hashable {
        let bytes: [UInt8]
        let sampler: Sampler
        let size: SIMD2<Int32>
        let name: String
    }

    private mutating func mergeTextures(of material: Material) {
        material.changeMaps { map in
            guard let texture = map?.texture else { return }
            let key =
                switch texture.content {
                case .encoded(let bytes): TextureKey(bytes: bytes, sampler: texture.sampler, size: .zero, name: "")
                case .image(let image):
                    TextureKey(
                        bytes: image.bytes, sampler: texture.sampler,
                        size: SIMD2(Int32(truncatingIfNeeded: image.width), Int32(image.format.bytesPerPixel)), name: "")
                }
            guard let shared = textures[key] else {
                textures[key] = texture
                return
            }
            guard shared !== texture else { return }
            removed.textures.insert(ObjectIdentifier(texture))
            map?.texture = shared
        }
    }

    // MARK: Parts

    private mutating func mergeParts(of mesh: Mesh) {
        var (parts, isChanged) = (mesh.parts, false)
        for index in parts.indices {
            let geometry = shared(parts[index].geometry)
            if geometry !== parts[index].geometry {
                parts[index].geometry = geometry
                isChanged = true
            }
            for alternative in parts[index].alternatives.indices {
                let material = shared(parts[index].alternatives[alternative].material)
                if material !== parts[index].alternatives[alternative].material {
                    parts[index].alternatives[alternative].material = material
                    isChanged = true
                }
            }
            let material = shared(parts[index].material)
            if material !== parts[index].material {
                parts[index].material = material
                isChanged = true
            }
        }
        if isChanged { mesh.parts = parts }
    }

    private mutating func shared(_ material: Material) -> Material {
        let key = MaterialKey(material, keepsName: keepsNames)
        guard let found = materials[key] else {
            materials[key] = material
            return material
        }
        if found !== material { removed.materials.insert(ObjectIdentifier(material)) }
        return found
    }

    /// A key that distinguishes most geometries quickly; those with equal keys are compared.
    private struct GeometryKey: Hashable {
        let topology: PrimitiveTopology
        let counts: [Int]
        let semantics: [VertexSemantic]
        let samples: [Float]
    }

    private mutating func shared(_ geometry: Geometry) -> Geometry {
        if let found = known[ObjectIdentifier(geometry)] { return found }
        var samples: [Float] = []
        for attribute in geometry.attributes {
            guard let last = attribute.values.last else { continue }
            samples += [attribute.values[0], attribute.values[attribute.values.count / 2], last]
        }
        let key = GeometryKey(
            topology: geometry.topology, counts: [geometry.vertexCount, geometry.indices?.count ?? -1, geometry.morphTargets.count],
            semantics: geometry.attributes.map(\.semantic), samples: samples)
        let found = geometries[key, default: []].first {
            $0 === geometry
                || $0.indices == geometry.indices && $0.attributes == geometry.attributes && $0.morphTargets == geometry.morphTargets
                    && $0.levels == geometry.levels
        }
        if found == nil { geometries[key, default: []].append(geometry) } else { removed.geometries.insert(ObjectIdentifier(geometry)) }
        known[ObjectIdentifier(geometry)] = found ?? geometry
        return found ?? geometry
    }

    // MARK: Meshes

    private struct MeshKey: Hashable {
        struct Part: Hashable {
            let geometry, material, own: ObjectIdentifier
            let alternatives: [String]
            let alternativeMaterials: [ObjectIdentifier]
        }
        let parts: [Part]
        let weights: [Float]
        let name: String
    }

    private mutating func shared(_ mesh: Mesh) -> Mesh {
        let parts = mesh.parts.map { part in
            MeshKey.Part(
                geometry: ObjectIdentifier(part.geometry), material: ObjectIdentifier(part.material),
                own: ObjectIdentifier(part.ownMaterial), alternatives: part.alternatives.map { $0.variant },
                alternativeMaterials: part.alternatives.map { ObjectIdentifier($0.material) })
        }
        let key = MeshKey(parts: parts, weights: mesh.morphWeights, name: keepsNames ? mesh.name : "")
        guard let found = meshes[key] else {
            meshes[key] = mesh
            return mesh
        }
        if found !== mesh { removed.meshes.insert(ObjectIdentifier(mesh)) }
        return found
    }
}

/// The appearance of a material as a value for comparison.
struct MaterialKey: Hashable {
    private struct MapKey: Hashable {
        let texture: ObjectIdentifier
        let set: Int
        let transform: TextureTransform
    }

    private let maps: [MapKey?]
    private let numbers: [Float]
    private let channels: [TextureChannel]
    private let lighting: LightingModel
    private let alpha: AlphaMode
    private let flags: [Bool]
    private let name: String
    /// The identity of a material with a surface function, because functions are not compared.
    private let identity: ObjectIdentifier?

    init(_ material: Material, keepsName: Bool) {
        var maps: [MapKey?] = []
        material.changeMaps { map in
            maps.append(map.map { MapKey(texture: ObjectIdentifier($0.texture), set: $0.set, transform: $0.transform) })
        }
        self.maps = maps
        var (numbers, channels): ([Float], [TextureChannel]) = ([], [])
        func add(_ slot: ColorSlot) { numbers += [slot.factor.x, slot.factor.y, slot.factor.z, slot.factor.w, slot.intensity] }
        func add(_ slot: ScalarSlot) {
            numbers += [slot.factor, slot.intensity]
            channels.append(slot.channel)
        }
        for slot in [
            material.baseColor, material.emission, material.lightMap, material.specular.color, material.sheen.color,
            material.highlight.color,
        ] { add(slot) }
        for slot in [
            material.metalness, material.roughness, material.occlusion, material.opacity, material.clearcoat.factor,
            material.clearcoat.roughness, material.specular.factor, material.sheen.roughness, material.transmission.factor,
            material.volume.thickness, material.iridescence.factor,
        ] { add(slot) }
        let (volume, film) = (material.volume, material.iridescence)
        numbers += [
            material.normal.scale, material.clearcoat.normal.scale, material.ior, material.transmission.dispersion,
            volume.attenuationDistance, volume.attenuationColor.x, volume.attenuationColor.y, volume.attenuationColor.z, film.ior,
            film.thickness.minimum, film.thickness.maximum, material.anisotropy.strength, material.anisotropy.rotation.radians,
            material.highlight.shininess, material.displacement.scale, material.displacement.bias,
        ]
        channels.append(material.displacement.channel)
        (self.numbers, self.channels) = (numbers, channels)
        (lighting, alpha) = (material.lightingModel, material.alphaMode)
        flags = [material.isShadowReceiver, material.isDoubleSided]
        name = keepsName ? material.name : ""
        identity = material.surfaceFunction == nil ? nil : ObjectIdentifier(material)
    }
}

/// Phrases of summaries.
enum OptimizeText {
    /// Returns "merged 2 textures, 1 mesh"; empty if all counts are 0.
    static func list(_ counts: [(count: Int, name: String)], verb: String) -> String {
        let parts = counts.filter { $0.count != 0 }.map { plural($0.count, $0.name) }
        return parts.isEmpty ? "" : verb + " " + parts.joined(separator: ", ")
    }

    static func plural(_ count: Int, _ name: String) -> String {
        if count == 1 { return "1 \(name)" }
        if name.hasSuffix("vertex") { return "\(count) \(name.dropLast(2))ices" }
        if name.hasSuffix("mesh") { return "\(count) \(name)es" }
        if name.hasSuffix("y") { return "\(count) \(name.dropLast())ies" }
        return "\(count) \(name)s"
    }
}
