import VitrineMath
import VitrineScene

/// Writes a scene as one PLY mesh (binary, little endian), in the scene's frame: positions, normals, 8-bit sRGB colours, triangles.
///
/// A base colour texture becomes colours of vertices, sampled bilinearly.
struct PLYWriter {
    static func write(_ contents: SceneContents, options: ModelWriteOptions, name: String) throws(ModelFileError) -> EncodedModel {
        var warnings = contents.warnings + contents.losses(.all)
        var samplers: [TextureSampler?] = []
        for material in contents.materials {
            report(material, &warnings)
            samplers.append(try material.baseColor.map.map { map throws(ModelFileError) in try TextureSampler(map, contents, options) })
        }
        let all = WorldPart.all(of: contents)
        let parts = all.filter { [.points, .triangles, .triangleStrip, .triangleFan].contains($0.geometry.topology) }
        if parts.count < all.count { warnings.append(ModelWarning(message: "\(all.count - parts.count) parts of lines: not written")) }
        let hasNormals = !parts.isEmpty && parts.allSatisfy { $0.normals != nil }
        if !hasNormals, parts.contains(where: { $0.normals != nil }) {
            warnings.append(ModelWarning(message: "normals: not written, since not every part has them"))
        }
        let vertexCount = parts.reduce(0) { $0 + $1.geometry.vertexCount }
        let triangleCount = parts.reduce(0) { $0 + $1.triangles.count / 3 }
        guard vertexCount <= Int32.max else { throw contents.failure("\(vertexCount) vertices exceed the limit of a PLY") }
        var file = ByteWriter(capacity: 512 + vertexCount * 27 + triangleCount * 13)
        file.append(
            PLYHeader(
                generator: options.signature, vertices: vertexCount, hasNormals: hasNormals, hasColors: true, triangles: triangleCount
            ).utf8)
        for part in parts {
            let colours = colours(of: part, sampler: samplers[contents.index(of: part.material)])
            for vertex in 0..<part.geometry.vertexCount {
                for axis in 0..<3 { file.append(part.positions[vertex * 3 + axis]) }
                if hasNormals, let normals = part.normals { for axis in 0..<3 { file.append(normals[vertex * 3 + axis]) } }
                let colour = colours[vertex]
                file.append([colour.x, colour.y, colour.z])
            }
        }
        var first: UInt32 = 0
        for part in parts {
            for corner in stride(from: 0, to: part.triangles.count - 2, by: 3) {
                file.append(UInt8(3))
                for index in corner..<corner + 3 { file.append(part.triangles[index] + first) }
            }
            first += UInt32(part.geometry.vertexCount)
        }
        return EncodedModel(files: [.init(name: name, bytes: file.bytes)], warnings: warnings)
    }

    /// The features of the scene that PLY does not support.
    private static func report(_ material: Material, _ warnings: inout [ModelWarning]) {
        let location = "material \"\(material.name)\""
        if material.baseColor.map != nil {
            warnings.append(ModelWarning(location: location, message: "the base colour's texture: kept as colours of vertices only"))
        }
        let others = material.textureMaps.count - (material.baseColor.map == nil ? 0 : 1)
        if others > 0 {
            warnings.append(ModelWarning(location: location, message: "\(others) textures other than that of the base colour: not written"))
        }
    }

    private static func colours(of part: WorldPart, sampler: TextureSampler?) -> [SIMD4<UInt8>] {
        let factor = part.material.baseColor.factor.xyz * part.material.baseColor.intensity
        let stream = part.geometry.attribute(.color(set: 0))
        let st = sampler.flatMap { part.geometry.attribute(.textureCoordinate(set: $0.map.set)) }
        return (0..<part.geometry.vertexCount).map { vertex in
            var colour = factor
            if let stream {
                let first = vertex * stream.componentCount
                colour *= Vector3(stream.values[first], stream.values[first + 1], stream.values[first + 2])
            }
            if let sampler, let st { colour *= sampler.linear(u: st.values[vertex * 2], v: st.values[vertex * 2 + 1]) }
            func byte(_ value: Float) -> UInt8 { UInt8(clamp(sRGBFromLinear(value), 0, 1) * 255 + 0.5) }
            return SIMD4(byte(colour.x), byte(colour.y), byte(colour.z), 255)
        }
    }
}

/// The header of a PLY file.
struct PLYHeader {
    let generator: String
    let vertices: Int
    let hasNormals, hasColors: Bool
    /// The number of triangles; nil for points.
    let triangles: Int?

    var utf8: [UInt8] {
        var lines = [
            "ply", "format binary_little_endian 1.0", "comment \(generator.filter { !$0.isNewline })", "element vertex \(vertices)",
        ]
        lines += ["x", "y", "z"].map { "property float \($0)" }
        if hasNormals { lines += ["nx", "ny", "nz"].map { "property float \($0)" } }
        if hasColors { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
        if let triangles { lines += ["element face \(triangles)", "property list uchar int vertex_indices"] }
        return Array((lines + ["end_header"]).map { $0 + "\n" }.joined().utf8)
    }
}

/// Samples a base colour texture at texture coordinates.
struct TextureSampler {
    let map: TextureMap
    private let image: Image
    private let rows: (Vector3, Vector3)
    /// The linear values of the 256 levels of an 8-bit channel.
    private let linear8: [Float]

    init(_ map: TextureMap, _ contents: SceneContents, _ options: ModelWriteOptions) throws(ModelFileError) {
        self.map = map
        rows = map.transform.rows
        linear8 = (0..<256).map { linearFromSRGB(Float($0) / 255) }
        switch map.texture.content {
        case .image(let image): self.image = image
        case .encoded(let bytes):
            do throws(ImageFileError) {
                image = try ImageFile.decode(bytes, name: map.texture.name, limits: options.images)
            } catch {
                throw contents.failure("\(error.reason)", at: "texture \"\(map.texture.name)\"")
            }
        }
    }

    /// Returns the linear colour, interpolated bilinearly between texels.
    func linear(u: Float, v: Float) -> Vector3 {
        let x = wrapped(dot(rows.0, Vector3(u, v, 1)), map.texture.sampler.wrapS) * Float(image.width) - 0.5
        let y = wrapped(dot(rows.1, Vector3(u, v, 1)), map.texture.sampler.wrapT) * Float(image.height) - 0.5
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        let (across, down) = (x - left, y - top)
        let upper = texel(Int(left), Int(top)) * (1 - across) + texel(Int(left) + 1, Int(top)) * across
        let lower = texel(Int(left), Int(top) + 1) * (1 - across) + texel(Int(left) + 1, Int(top) + 1) * across
        return upper * (1 - down) + lower * down
    }

    /// Wraps a coordinate into 0…1.
    private func wrapped(_ value: Float, _ mode: WrapMode) -> Float {
        // Beyond these limits, a Float has no fractional digits.
        let bounded = clamp(value, -1e6, 1e6)
        switch mode {
        case .clampToEdge: return clamp(bounded, 0, 1)
        case .repeat: return bounded == 1 ? 1 : bounded - bounded.rounded(.down)
        case .mirroredRepeat:
            let twice = bounded - 2 * (bounded / 2).rounded(.down)
            return twice > 1 ? 2 - twice : twice
        }
    }

    private func texel(_ x: Int, _ y: Int) -> Vector3 {
        let pixel = min(max(y, 0), image.height - 1) * image.width + min(max(x, 0), image.width - 1)
        let first = pixel * image.format.bytesPerPixel
        func channel(_ index: Int) -> Float {
            switch image.format {
            case .rgba8: linear8[Int(image.bytes[first + index])]
            case .rgba16:
                linearFromSRGB(Float(UInt16(image.bytes[first + 2 * index]) | UInt16(image.bytes[first + 2 * index + 1]) << 8) / 65535)
            case .rgba32Float:
                image.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: first + 4 * index, as: Float.self) }
            }
        }
        return Vector3(channel(0), channel(1), channel(2))
    }
}
