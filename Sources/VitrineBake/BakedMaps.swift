import VitrineMath
import VitrinePathTracer
import VitrineScene
import VitrineTexture

/// Textures of collected light, and the meshes and materials that use them.
struct BakedMaps {
    /// The set of texture coordinates of baked maps.
    static let set = 1
    /// Texels of which fewer samples lie outside of bodies take their values from their neighbours.
    private static let leastValidity: Float = 0.1

    /// Texels brighter than this quantile of all are clipped: single ones would take the steps of the encoding from all others.
    private static let brightest = 0.9995

    private let layout: SurfaceParametrization
    private let occlusion: Texture?
    private let light: (texture: Texture, intensity: Float)?

    init(_ maps: LightBake.Maps, layout: SurfaceParametrization, lights: [CollectedLight]) {
        self.layout = layout
        var isKnown = [Bool](repeating: false, count: layout.size * layout.size)
        for (texel, light) in zip(layout.texels, lights) where light.validity >= Self.leastValidity { isKnown[Int(texel.index)] = true }
        occlusion = maps.contains(.occlusion) ? Self.occlusion(layout, lights, isKnown) : nil
        light = maps.contains(.light) ? Self.light(layout, lights, isKnown) : nil
    }

    private static func occlusion(_ layout: SurfaceParametrization, _ lights: [CollectedLight], _ isKnown: [Bool]) -> Texture {
        var openness = [UInt16](repeating: 0, count: isKnown.count)
        for (texel, light) in zip(layout.texels, lights) { openness[Int(texel.index)] = UInt16((light.openness * 65_535).rounded()) }
        layout.fill(&openness, channels: 1, isKnown: isKnown)
        return texture("baked occlusion", size: layout.size) { index in
            let value = UInt8((UInt32(openness[index]) + 128) / 257)
            return SIMD4(value, value, value, 255)
        }
    }

    /// sRGB, as shares of the intensity.
    private static func light(
        _ layout: SurfaceParametrization, _ lights: [CollectedLight], _ isKnown: [Bool]
    ) -> (texture: Texture, intensity: Float) {
        let levels = zip(layout.texels, lights).compactMap { isKnown[Int($0.index)] ? $1.radiance.max() : nil }.sorted()
        let intensity = levels.isEmpty ? 1 : max(levels[Int(brightest * Double(levels.count - 1))], 1e-6)
        var colors = [UInt16](repeating: 0, count: 3 * isKnown.count)
        for (texel, light) in zip(layout.texels, lights) {
            for channel in 0..<3 {
                colors[3 * Int(texel.index) + channel] = UInt16((min(max(light.radiance[channel] / intensity, 0), 1) * 65_535).rounded())
            }
        }
        layout.fill(&colors, channels: 3, isKnown: isKnown)
        let texture = texture("baked light", size: layout.size) { index in
            func byte(_ channel: Int) -> UInt8 { TransferFunction.byteFromLinear[(Int(colors[3 * index + channel]) + 2) / 4] }
            return SIMD4(byte(0), byte(1), byte(2), 255)
        }
        return (texture, intensity)
    }

    private static func texture(_ name: String, size: Int, _ texel: (Int) -> SIMD4<UInt8>) -> Texture {
        let bytes = [UInt8](unsafeUninitializedCapacity: size * size * 4) { bytes, count in
            for index in 0..<size * size {
                let value = texel(index)
                for channel in 0..<4 { bytes[4 * index + channel] = value[channel] }
            }
            count = size * size * 4
        }
        guard let image = try? Image(width: size, height: size, format: .rgba8, bytes: bytes, name: name) else {
            preconditionFailure("the size was checked")
        }
        return Texture(image, sampler: Sampler(wrapS: .clampToEdge, wrapT: .clampToEdge))
    }

    /// Gives each part the second set of texture coordinates, and copies of its materials the maps.
    func apply(to surface: BakeSurface) {
        var meshes: [ObjectIdentifier: Mesh] = [:]
        var materials: [ObjectIdentifier: Material] = [:]
        func baked(_ material: Material) -> Material {
            if let known = materials[ObjectIdentifier(material)] { return known }
            let copy = material.copy()
            if let occlusion { copy.occlusion = ScalarSlot(1, map: TextureMap(occlusion, set: Self.set), channel: .red) }
            if let light {
                copy.lightMap = ColorSlot(
                    Vector4(light.intensity, light.intensity, light.intensity, 1), map: TextureMap(light.texture, set: Self.set))
            }
            materials[ObjectIdentifier(material)] = copy
            return copy
        }
        for part in surface.parts {
            guard let old = part.node.mesh, let geometry = unwrapped(part) else { continue }
            let mesh = meshes[ObjectIdentifier(part.node)] ?? Mesh(name: old.name, parts: old.parts, morphWeights: old.morphWeights)
            meshes[ObjectIdentifier(part.node)] = mesh
            part.node.mesh = mesh
            mesh.parts[part.part].geometry = geometry
            mesh.parts[part.part].material = baked(mesh.parts[part.part].material)
            for index in mesh.parts[part.part].alternatives.indices {
                mesh.parts[part.part].alternatives[index].material = baked(mesh.parts[part.part].alternatives[index].material)
            }
        }
    }

    /// The part's geometry with the second set of texture coordinates; vertices are split at borders of charts.
    private func unwrapped(_ part: BakedPart) -> Geometry? {
        struct Corner: Hashable {
            let source: UInt32
            let split: Int32
        }
        var known: [Corner: UInt32] = [:]
        var sources: [Int] = []
        var coordinates: [Vector2] = []
        var indices: [UInt32] = []
        let old = part.geometry.triangleIndices
        for triangle in part.triangles {
            let base = 3 * (triangle - part.triangles.lowerBound)
            let split = layout.triangles[triangle]
            for k in 0..<3 {
                // The surface has the corners of mirrored parts in the order 0, 2, 1.
                let own = part.isMirrored ? (3 - k) % 3 : k
                let corner = Corner(source: old[base + k], split: split[own])
                if let index = known[corner] {
                    indices.append(index)
                    continue
                }
                known[corner] = UInt32(sources.count)
                indices.append(UInt32(sources.count))
                sources.append(Int(corner.source))
                coordinates.append(layout.coordinates[Int(corner.split)])
            }
        }
        var attributes = part.geometry.attributes.filter { attribute in
            if case .textureCoordinate(let set) = attribute.semantic { return set < Self.set }
            return true
        }.map { attribute in
            let width = attribute.componentCount
            var values: [Float] = []
            values.reserveCapacity(sources.count * width)
            for source in sources { values.append(contentsOf: attribute.values[source * width..<(source + 1) * width]) }
            return VertexAttribute(attribute.semantic, componentCount: width, values: values)
        }
        if !attributes.contains(where: { $0.semantic == .textureCoordinate(set: 0) }) {
            // Files number their sets without gaps.
            attributes.append(VertexAttribute(.textureCoordinate(set: 0), [Vector2](repeating: Vector2(0, 0), count: sources.count)))
        }
        attributes.append(VertexAttribute(.textureCoordinate(set: Self.set), coordinates))
        return try? Geometry(attributes: attributes, indices: indices)
    }
}
