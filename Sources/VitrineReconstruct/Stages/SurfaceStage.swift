import VitrineFiles
import VitrineMath
import VitrineSurface
import VitrineVision

/// The model's mesh: the output of `SurfaceStage`. Model frame.
struct SurfaceMeshes: Sendable {
    /// The mesh within the limit of triangles.
    let mesh: TriangleMesh
    /// The mesh before the reduction.
    let fullMesh: TriangleMesh
    /// The warnings of the stage, of one line each.
    let warnings: [String]
}

/// Reconstructs the surface of oriented points, in the model's frame.
enum SurfaceStage: Stage {
    struct Input: Sendable {
        /// The name of the level of detail, for the file.
        let detail: String
        /// The points in the placed frame.
        let points: Artifact<OrientedPoints>
        /// The transform from the placed frame to the model's; nil if they are the same.
        let modelFromPlaced: FrameTransform<PlacedFrame, ModelFrame>?
        /// The camera of each photo; nil for photos without a pose. It is in the model's frame, as are all following values.
        let cameras: [PosedCamera?]
        let bounds: OrientedBox?
        let supportPlane: Plane3<Float>?
        let maximumTriangles: Int
        /// The finest cell is the cloud's longest side divided by 2 to this power.
        let maximumDepth: Int
        let cutsAtBounds: Bool
        /// The radius of the outline as a fraction of the longest side.
        let outlineRadius: Float
        /// Whether the object ends at its lowest points: it stands on y = 0.
        var standsOnBottom = false
        /// Whether points near the bottom may belong to the ground: see `ObjectPlacement.observesGround`.
        var observesGround = false
        /// The noise of the support plane's points, if the plane was found in them: see `DenseSupportPlane`. Model's frame.
        var supportNoise: Float?
    }

    typealias Output = SurfaceMeshes

    static let name = "surface"
    static let version = 2

    static func fileName(for input: Input) -> String { "surface-\(input.detail)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("points", input.points)
        key.add("frame", input.modelFromPlaced)
        key.add("cameras", input.cameras)
        key.add("bounds", input.bounds)
        key.add("support plane", input.supportPlane)
        key.add("maximum triangles", input.maximumTriangles)
        key.add("maximum depth", input.maximumDepth)
        key.add("cuts at bounds", input.cutsAtBounds)
        key.add("outline radius", input.outlineRadius)
        if input.standsOnBottom { key.add("stands on bottom", true) }
        if input.observesGround { key.add("observes ground", true) }
        if let noise = input.supportNoise { key.add("support noise", Double(noise)) }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> SurfaceMeshes {
        var options = SurfaceBuilder.Options(maximumTriangles: input.maximumTriangles)
        options.maximumDepth = input.maximumDepth
        options.cutsAtBounds = input.cutsAtBounds
        options.outlineRadius = input.outlineRadius
        options.observesSupport = !input.standsOnBottom || input.observesGround
        let points = try Self.points(of: input, resources)
        do throws(SurfaceError) {
            let result = try SurfaceBuilder(options: options).build(
                points: consume points, cameras: input.cameras, bounds: input.bounds,
                supportPlane: input.standsOnBottom ? Plane3<Float>(normal: .up, offset: 0) : input.supportPlane, in: context)
            return SurfaceMeshes(mesh: result.mesh, fullMesh: result.fullMesh, warnings: result.warnings.map(\.text))
        } catch .cancelled {
            throw CancellationError()
        } catch {
            throw ReconstructionError.noSurface(error.description)
        }
    }
}

extension SurfaceStage {
    /// In the model's frame; those of the placed frame are not kept.
    private static func points(of input: Input, _ resources: StageResources) throws -> OrientedPoints {
        let placed = try resources.load(input.points)
        let points = input.modelFromPlaced.map { placed.moved(by: $0) } ?? placed
        guard let noise = input.supportNoise, let plane = input.supportPlane else { return points }
        return points.withoutSheet(on: plane, noise: noise)
    }
}

extension SurfaceWarning {
    /// The warning for users.
    fileprivate var text: String {
        switch self {
        case .topologySimplified: "thin parts and handles were removed to keep within the limit of triangles"
        case .openHoles(let count): "\(count) holes were too large to be closed"
        case .resolutionLimited: "the points are finer than the surface's highest resolution"
        }
    }
}

extension SurfaceMeshes: ByteCodable {
    func write(to writer: inout ByteWriter) {
        for mesh in [mesh, fullMesh] {
            writer.write(mesh.positions)
            writer.write(mesh.triangles)
        }
        writer.encode(warnings)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> SurfaceMeshes {
        let (mesh, fullMesh) = (try reader.mesh(), try reader.mesh())
        return SurfaceMeshes(mesh: mesh, fullMesh: fullMesh, warnings: try reader.decode())
    }
}

extension ByteReader {
    fileprivate mutating func mesh() throws(DamagedCheckpoint) -> TriangleMesh {
        let mesh = TriangleMesh(positions: try vectors(of: Float.self), triangles: try vectors(of: UInt32.self))
        let count = UInt32(mesh.positions.count)
        guard mesh.triangles.allSatisfy({ $0.x < count && $0.y < count && $0.z < count }) else { throw DamagedCheckpoint() }
        return mesh
    }
}

extension SurfaceStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(detail)
        writer.encode(points)
        writer.encode(modelFromPlaced)
        writer.encode(cameras)
        writer.encode(bounds)
        writer.encode(supportPlane)
        writer.write(maximumTriangles)
        writer.write(maximumDepth)
        writer.write(cutsAtBounds)
        writer.write(outlineRadius)
        writer.write(standsOnBottom)
        writer.write(observesGround)
        writer.write(supportNoise) { $0.write($1) }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            detail: try reader.text(), points: try reader.decode(), modelFromPlaced: try reader.decode(), cameras: try reader.decode(),
            bounds: try reader.decode(), supportPlane: try reader.decode(), maximumTriangles: try reader.int(),
            maximumDepth: try reader.int(), cutsAtBounds: try reader.bool(), outlineRadius: try reader.float(),
            standsOnBottom: try reader.bool(), observesGround: try reader.bool(),
            supportNoise: try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.float() })
    }
}
