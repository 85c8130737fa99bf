import VitrineGLTF
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of a model or image file: the report of `vitrine inspect`.
///
/// ```swift
/// let inspection = try await FileInspection(contentsOf: url)
/// print(inspection.text)          // tables
/// print(try inspection.json())    // sorted keys; the same in every run
/// ```
package struct FileInspection: Codable, Equatable, Sendable {
    /// The path of the file.
    package var file: String
    /// The format by content: "glb", "gltf", "png" …
    package var format: String
    /// The size of the file in bytes, without the files that it refers to.
    package var bytes: Int
    /// The contents of a model file.
    package var model: ModelInspection?
    /// The contents of an image file.
    package var image: ImageInspection?

    /// The keys of the report. An image keeps its key from earlier versions.
    private enum CodingKeys: String, CodingKey {
        case file, format, bytes, model
        case image = "picture"
    }

    /// Reads a file. Decodes the textures of a model to check them, as `SceneFile.load` does, and drops their pixels.
    ///
    /// - Parameter includesNodes: Whether `model.nodes` lists the node hierarchy.
    /// - Throws: `ModelFileError` or `ImageFileError`.
    package init(contentsOf url: URL, options: ModelLoadOptions = ModelLoadOptions(), includesNodes: Bool = false) async throws {
        let bytes = try SceneFile.read(url, options: options)
        file = url.path
        self.bytes = bytes.count
        if ImageFile.kind(of: bytes) != nil {
            let header = try ImageFile.header(of: bytes, name: url.path)
            format = header.kind.rawValue
            image = ImageInspection(header, photo: PhotoMetadata(of: bytes))
        } else {
            format = try SceneFile.format(of: bytes, file: url.path).rawValue
            let parsed = try SceneFile.parse(bytes, url: url, options: options)
            var checking = options
            checking.decodesTextures = false
            let results = try await TextureDecoding(parsed.textures, options: checking).run()
            let failures = TextureDecoding.failures(results, in: parsed)
            try SceneFile.refuse(parsed.warnings + failures, of: url.path, options)
            model = ModelInspection(parsed, textureWarnings: failures)
            if includesNodes { model?.nodes = ModelInspection.nodes(of: parsed.scene) }
        }
    }

    /// The report as indented JSON with sorted keys in snake case.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

/// The header of an image file.
package struct ImageInspection: Codable, Equatable, Sendable {
    /// The size in pixels.
    package var width: Int
    package var height: Int
    /// The number of bits per channel: 8, 16 or 32.
    package var bitsPerChannel: Int
    /// Whether pixels are linear floats; otherwise they are sRGB-encoded integers.
    package var isHighDynamicRange: Bool
    /// Whether the image is twice as wide as high, as panoramas for environments are.
    package var isEquirectangular: Bool
    package var decodedBytes: Int

    /// The EXIF metadata of an image; nil if there is none.
    package var photo: PhotoMetadata?

    init(_ header: ImageFile.Header, photo: PhotoMetadata) {
        self.photo = photo.isEmpty ? nil : photo
        (width, height) = (header.width, header.height)
        bitsPerChannel = header.format.bytesPerPixel * 2
        isHighDynamicRange = header.format == .rgba32Float
        isEquirectangular = header.width == 2 * header.height
        decodedBytes = (try? Image.byteCount(width: width, height: height, format: header.format)) ?? 0
    }
}

extension FileInspection {
    /// The report as text: a few lines and short tables.
    package var text: String {
        var lines = ["\(MessageText.message(file)): \(format), \(Self.size(bytes))"]
        if let image { lines += Self.lines(image) }
        if let model { lines += Self.lines(model) }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ image: ImageInspection) -> [String] {
        var facts = ["\(image.width) × \(image.height) pixels", "\(image.bitsPerChannel) bits per channel"]
        facts.append(image.isHighDynamicRange ? "linear floats" : "integers (sRGB)")
        if image.isEquirectangular { facts.append("2:1, suitable as an environment") }
        let photo = image.photo.map { [line($0, width: image.width, height: image.height)] } ?? []
        return ["  " + facts.joined(separator: ", ")] + photo + ["  decoded: \(size(image.decodedBytes))"]
    }

    private static func line(_ photo: PhotoMetadata, width: Int, height: Int) -> String {
        var facts = [[photo.make, photo.model].compactMap { $0 }.joined(separator: " ")].filter { !$0.isEmpty }
        if let focal = photo.focalLength { facts.append("\(number(Float(focal))) mm") }
        if let equivalent = photo.focalLength35mm { facts.append("35 mm equivalent \(number(Float(equivalent))) mm") }
        if let pixels = photo.focalLengthInPixels(width: width, height: height) {
            facts.append("focal length \(number(Float(pixels))) pixels")
        }
        if let fNumber = photo.fNumber { facts.append("f/\(number(Float(fNumber)))") }
        if let time = photo.exposureTime {
            facts.append(time < 0.3 ? "1/\(number(Float((1 / time).rounded()))) s" : "\(number(Float(time))) s")
        }
        if let iso = photo.iso { facts.append("ISO \(iso)") }
        if let time = photo.captureTime { facts.append(time) }
        if photo.orientation != .up { facts.append("orientation \(photo.orientation.rawValue)") }
        return "  photo: " + (facts + photo.problems.map { "invalid: \($0)" }).joined(separator: ", ")
    }

    private static func lines(_ model: ModelInspection) -> [String] {
        let counts = model.counts
        var lines = [
            "  \(plural(counts.nodes, "node")), \(plural(counts.meshes, "mesh", "meshes")), \(plural(counts.parts, "part")), "
                + "\(plural(counts.vertices, "vertex", "vertices")), \(plural(counts.triangles, "triangle"))"
        ]
        if !model.origin.version.isEmpty {
            lines.insert("  glTF \(model.origin.version)\(model.origin.generator.isEmpty ? "" : ", by \(model.origin.generator)")", at: 0)
        }
        if counts.drawnTriangles != counts.triangles { lines.append("  \(counts.drawnTriangles) triangles as drawn") }
        if counts.hiddenMeshNodes > 0 {
            lines.append("  hidden: \(plural(counts.hiddenMeshNodes, "node")) with a mesh, \(plural(counts.hiddenTriangles, "triangle"))")
        }
        if counts.morphTargets > 0 { lines.append("  \(plural(counts.morphTargets, "morph target"))") }
        if let bounds = model.bounds {
            lines.append("  size \(vector(bounds.size)) m, from \(vector(bounds.minimum)) to \(vector(bounds.maximum))")
        } else {
            lines.append("  nothing to show")
        }
        lines += section("materials", model.materials.map(line))
        lines += section("material variants", model.variants.map(named))
        lines += section("textures", model.textures.map(line))
        lines += section(
            "animations",
            model.animations.map { "\(named($0.name)): \(number($0.duration)) s, \(plural($0.tracks, "track")), \(plural($0.keys, "key"))" }
        )
        lines += section("skins", model.skins.map { "\(named($0.name)): \(plural($0.joints, "joint"))" })
        lines += section("cameras", model.cameras.map(line))
        lines += section("lights", model.lights.map { "\(named($0.node)): \($0.kind), intensity \(number($0.intensity))" })
        lines += section(
            "variants",
            (model.variantSets ?? []).map { set in
                "\(set.name) of \(set.node): " + set.choices.map { $0 == set.choice ? "[\($0)]" : $0 }.joined(separator: ", ")
            })
        lines += section(
            "extensions",
            model.origin.extensionsUsed.map { $0 + (model.origin.extensionsRequired.contains($0) ? " (required)" : "") })
        lines.append(
            "  memory: geometry \(size(model.memory.geometry)), textures \(size(model.memory.textures)), GPU about \(size(model.memory.gpu))"
        )
        lines += section("warnings", model.warnings.map(\.description))
        return lines
    }

    private static func line(_ material: ModelInspection.MaterialEntry) -> String {
        var facts = [
            material.lightingModel == "constant"
                ? "unlit"
                : material.lightingModel != "physicallyBased"
                    ? material.lightingModel : "metalness \(number(material.metalness)), roughness \(number(material.roughness))"
        ]
        if material.alphaMode != "opaque" { facts.append(material.alphaMode) }
        if material.isDoubleSided { facts.append("double-sided") }
        if let clearcoat = material.clearcoat { facts.append("clearcoat \(number(clearcoat))") }
        facts += material.lobes
        if !material.slots.isEmpty { facts.append(material.slots.map { "\($0.name) ← \($0.texture)" }.joined(separator: " ")) }
        return "\(named(material.name)): " + facts.joined(separator: ", ")
    }

    private static func line(_ texture: ModelInspection.TextureEntry) -> String {
        let kind = texture.mimeType.isEmpty ? "unknown kind" : String(texture.mimeType.dropFirst(6))
        return "\(named(texture.name)): \(kind), \(texture.width) × \(texture.height), \(size(texture.encodedBytes)), "
            + texture.usedAs.joined(separator: " ")
    }

    private static func line(_ camera: ModelInspection.CameraEntry) -> String {
        let angle = camera.fieldOfView.map { ", \(number($0))°" } ?? ""
        return "\(named(camera.node)): \(camera.projection)\(angle), \(number(camera.near))…\(camera.far.map(number) ?? "∞") m"
    }

    // MARK: Words

    private static func section(_ title: String, _ entries: [String]) -> [String] {
        guard !entries.isEmpty else { return [] }
        return ["  \(title):"] + entries.enumerated().map { "    \($0.offset)  \($0.element)" }
    }

    static func named(_ name: String) -> String { name.isEmpty ? "(no name)" : name }

    static func plural(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? one + "s")"
    }

    static func vector(_ values: [Float]) -> String { "(" + values.map(number).joined(separator: ", ") + ")" }

    /// Four significant digits at most, no trailing zeros.
    static func number(_ value: Float) -> String {
        guard value.isFinite, value != 0 else { return value == 0 ? "0" : "\(value)" }
        let magnitude = Double(abs(value))
        var unit = 1.0
        while magnitude / unit >= 10_000 { unit *= 10 }
        while magnitude / unit < 1_000, unit > 1e-30 { unit /= 10 }
        let rounded = (Double(value) / unit).rounded() * unit
        return Float(rounded) == Float(rounded).rounded() && abs(rounded) < 1e9 ? "\(Int(rounded))" : "\(Float(rounded))"
    }

    static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) bytes"
        case ..<1_000_000: "\(number(Float(bytes) / 1e3)) kB"
        case ..<1_000_000_000: "\(number(Float(bytes) / 1e6)) MB"
        default: "\(number(Float(bytes) / 1e9)) GB"
        }
    }
}
