import Synchronization
import VitrineFiles
import VitrineMath
import VitrineTexture
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Textures the model's mesh from the photos, in the model's frame.
enum TextureStage: Stage {
    struct Input: Sendable {
        /// The name of the level of detail, for the file.
        let detail: String
        let surface: Artifact<SurfaceMeshes>
        let views: [PhotoViewReference<ModelFrame>]
        /// The textures' width and height.
        let textureSize: Int
        /// A set of `TextureBuilder.Maps`.
        let maps: Int
        /// Whether the photos' shading is divided out of the base colour.
        let removesShading: Bool
        /// Bytes of photos in memory; the output does not depend on it.
        let cacheBytes: Int
    }

    /// The output and the photos that could not be used.
    struct Output: Sendable {
        let mesh: TexturedMesh
        /// The warnings of the stage, of one line each.
        let warnings: [String]
        let comparison: PhotoComparison
    }

    static let name = "texture"
    static let version = 6
    /// The number of views that are compared, evenly spaced, and their longer side in pixels.
    private static let compared = 48, comparedSide = 480
    static let isFinal = true
    static func isComplete(_ output: Output) -> Bool { output.warnings.isEmpty }

    static func fileName(for input: Input) -> String { "texture-\(input.detail)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("surface", input.surface)
        for view in input.views { view.describe("view", in: &key) }
        key.add("texture size", input.textureSize)
        key.add("maps", input.maps)
        key.add("removes shading", input.removesShading)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Output {
        let surface = try resources.load(input.surface)
        let failures = PhotoFailures()
        let mesh = try reported { () throws(TextureError) in
            try input.builder.build(
                mesh: surface.mesh, detailed: surface.fullMesh, photos: input.photos(resources, failures, in: context), in: context)
        }
        let comparison = compare(surface.mesh, input, resources, context)
        try context.checkCancellation()
        return Output(mesh: mesh, warnings: failures.warnings(input), comparison: comparison)
    }

    /// Returns the result of `body`, with errors for users.
    static func reported<Value>(_ body: () throws(TextureError) -> Value) throws -> Value {
        do throws(TextureError) {
            return try body()
        } catch .cancelled {
            throw CancellationError()
        } catch {
            throw ReconstructionError.noTexture(error.description)
        }
    }

    /// Compares some of the photos with each other over the mesh.
    static func compare(
        _ mesh: TriangleMesh, _ input: Input, _ resources: StageResources, _ context: StageContext
    ) -> PhotoComparison {
        let count = min(compared, input.views.count)
        let chosen = (0..<count).map { $0 * input.views.count / count }
        let comparison = ModelComparison(mesh)
        // A photo that cannot be loaded is reported already.
        let views = context.parallel.map(count) { index -> ModelComparison.View? in
            guard !context.isCancelled else { return nil }
            let photo = try? input.views[chosen[index]].load(resources, isCached: false, in: context)
            return photo.flatMap { comparison.view(color: $0.color.reduced(maximumSide: comparedSide), camera: $0.camera) }
        }
        let center = Vector3d(mesh.bounds.center)
        let rays = chosen.map { input.views[$0].cameraFromWorld.inverse.translation - center }
        let pairs = PhotoComparison.pairs(rays: rays)
        let agreements = context.parallel.map(pairs.count) { pair -> Float? in
            guard !context.isCancelled, let first = views[pairs[pair].first], let second = views[pairs[pair].second] else { return nil }
            return comparison.agreement(of: first, with: second)
        }
        return PhotoComparison(
            pairs: zip(pairs, agreements).compactMap { pair, agreement in
                agreement.map { PhotoComparison.Pair(first: chosen[pair.first], second: chosen[pair.second], agreement: $0) }
            })
    }
}

extension TextureStage.Input {
    var builder: TextureBuilder {
        var options = TextureBuilder.Options(textureSize: textureSize, maps: TextureBuilder.Maps(rawValue: maps))
        (options.removesShading, options.cacheBytes) = (removesShading, cacheBytes)
        return TextureBuilder(options)
    }

    /// The photos, without those that cannot be loaded.
    func photos(_ resources: StageResources, _ failures: PhotoFailures, in context: StageContext) -> PhotoViewSource {
        PhotoViewSource(count: views.count) { [views] index in
            failures.recording(index) { try views[index].load(resources, isCached: false, in: context) }
        }
    }
}

/// Collects the errors of photos that cannot be loaded, from several threads.
final class PhotoFailures: Sendable {
    private let reasons = Mutex<[Int: String]>([:])

    /// The reasons in the order of the photos.
    var all: [(index: Int, reason: String)] { reasons.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } } }

    /// One line for each of a texture's photos that cannot be loaded.
    func warnings(_ input: TextureStage.Input) -> [String] {
        all.map { "\(input.views[$0.index].view.photo.name): is not in the textures: \($0.reason)" }
    }

    /// Returns the result of `work`; records the error and returns nil if it throws.
    func recording<Value>(_ index: Int, _ work: () throws -> Value) -> Value? {
        do {
            return try work()
        } catch {
            let reason = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            reasons.withLock { $0[index] = reason }
            return nil
        }
    }
}

extension TextureStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(detail)
        writer.encode(surface)
        writer.encode(views)
        writer.write(textureSize)
        writer.write(maps)
        writer.write(removesShading)
        writer.write(cacheBytes)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            detail: try reader.text(), surface: try reader.decode(), views: try reader.decode(), textureSize: try reader.int(),
            maps: try reader.int(), removesShading: try reader.bool(), cacheBytes: try reader.int())
    }
}

extension TextureStage.Output: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(mesh)
        writer.encode(warnings)
        writer.encode(comparison)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let (mesh, warnings): (TexturedMesh, [String]) = (try reader.decode(), try reader.decode())
        return Self(mesh: mesh, warnings: warnings, comparison: try reader.decode())
    }
}

extension TexturedMesh: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(positions)
        writer.write(normals)
        writer.write(tangents) { $0.write($1) }
        writer.write(textureCoordinates)
        writer.write(triangles)
        writer.encode(baseColor)
        writer.encode(normalMap)
        writer.encode(occlusion)
        writer.encode(roughness)
        writer.write(displacement) { writer, map in
            writer.encode(map.heights)
            writer.encode(map.range)
        }
        writer.encode(statistics)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> TexturedMesh {
        let positions = try reader.vectors(of: Float.self)
        let normals = try reader.vectors(of: Float.self)
        let tangents = try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.array(of: Vector4.self) }
        let coordinates = try reader.array(of: Vector2.self)
        let triangles = try reader.vectors(of: UInt32.self)
        let count = positions.count
        guard normals.count == count, coordinates.count == count, tangents.map({ $0.count == count }) ?? true,
            triangles.allSatisfy({ Int($0.max()) < count })
        else { throw DamagedCheckpoint() }
        let (baseColor, normalMap): (ColorPlane, ColorPlane?) = (try reader.decode(), try reader.decode())
        let (occlusion, roughness): (Plane<UInt8>?, Plane<UInt8>?) = (try reader.decode(), try reader.decode())
        let displacement = try reader.optional { (reader) throws(DamagedCheckpoint) in
            DisplacementMap(heights: try reader.decode(), range: try reader.decode())
        }
        return TexturedMesh(
            positions: positions, normals: normals, tangents: tangents, textureCoordinates: coordinates, triangles: triangles,
            baseColor: baseColor, normalMap: normalMap, occlusion: occlusion, roughness: roughness, displacement: displacement,
            statistics: try reader.decode())
    }
}

extension TextureStatistics: ByteCodable {
    // The durations of steps are not part of the bytes: the same input gives the same bytes.
    func write(to writer: inout ByteWriter) {
        writer.write(photoShares)
        writer.write(photoGains)
        writer.write(photoSharpness)
        writer.write(unusedPhotos)
        writer.write(unseenShare)
        writer.write(chartCount)
        writer.write(fill)
        writer.write(texelDensity)
        writer.write(meanStretch)
        writer.write(shading) { writer, shading in
            writer.write(shading.frame.rawValue)
            for index in 0..<8 { writer.write(shading.coefficients[index]) }
            for number in [shading.occlusionPower, shading.explainedShare, shading.contrast] { writer.write(number) }
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> TextureStatistics {
        var statistics = TextureStatistics()
        statistics.photoShares = try reader.array(of: Float.self)
        statistics.photoGains = try reader.vectors(of: Float.self)
        statistics.photoSharpness = try reader.array(of: Float.self)
        statistics.unusedPhotos = try reader.array(of: Int.self)
        statistics.unseenShare = try reader.float()
        statistics.chartCount = try reader.int()
        (statistics.fill, statistics.texelDensity, statistics.meanStretch) = (try reader.float(), try reader.float(), try reader.float())
        statistics.shading = try reader.optional { (reader) throws(DamagedCheckpoint) in
            guard let frame = ShadingEstimate.Frame(rawValue: try reader.int()) else { throw DamagedCheckpoint() }
            var coefficients = SIMD8<Float>.zero
            for index in 0..<8 { coefficients[index] = try reader.float() }
            var shading = ShadingEstimate(
                frame: frame, coefficients: coefficients, occlusionPower: try reader.float(), explainedShare: try reader.float())
            shading.contrast = try reader.float()
            return shading
        }
        return statistics
    }
}
