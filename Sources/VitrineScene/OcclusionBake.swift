import VitrineGeometry

/// How surfaces of a scene keep the environment's light from each other, worked out once and stored with the vertices.
///
/// A renderer that lights by an environment map sees no obstacles: a crevice reflects the sky as a summit does. Here rays from every vertex
/// find out from which directions light arrives; what is kept off is stored as nine numbers a vertex (`VertexSemantic.occlusionHarmonics`),
/// which the renderer reads along the normal for diffuse light and along the reflected direction for specular light.
///
/// ```swift
/// let bake = OcclusionBake(scene)
/// bake.apply(bake.jobs.map { $0.run() })     // or each job on a thread of its own: jobs are Sendable
/// ```
///
/// A mesh shown by one node is occluded by all that stands still; one that is shared, or that clips or skins move, only by itself, so that
/// the result is right wherever it goes. Skinned and morphed meshes are left as they are, as are meshes without normals. Where triangles are
/// large against the scene (a table of two triangles), a vertex can't speak for them, and the effect fades out.
///
/// Cost: about a hundred rays a vertex. Blended and masked surfaces block nothing.
public final class OcclusionBake {
    public struct Options: Equatable, Sendable {
        /// Directions over the whole sphere; those above a vertex's surface are asked, about half. 16…1024, default 128.
        public var directionCount = 128
        /// Scenes with more triangles are left as they are. Default two million.
        public var maximumTriangleCount = 2_000_000

        public init() {}
    }

    /// Some vertices of one geometry: independent of the others, so that jobs may run side by side.
    public struct Job: Sendable {
        let part: Int
        let geometry: Geometry
        let vertices: Range<Int>
        let occluders: TriangleHierarchy
        let occludersFromLocal: Matrix4
        /// The distance by which rays start above the surface, in the occluders' frame.
        let lift: Float
        /// By what each vertex of the geometry is weighted; all jobs of a geometry share it.
        let fading: [Float]
        let directions: [Vector3]
    }

    private struct Target {
        let mesh: Mesh
        let part: Int
        let geometry: Geometry
    }

    /// Independent pieces of work, in the order that `apply` wants their results.
    public let jobs: [Job]
    private let targets: [Target]

    /// Looks at the scene, as it stands now, and divides the work.
    public init(_ scene: Scene, options: Options = Options()) {
        var planner = OcclusionPlanner(scene, options: options)
        planner.plan()
        jobs = planner.jobs
        targets = planner.targets.map { Target(mesh: $0.mesh, part: $0.part, geometry: $0.geometry) }
    }

    /// Gives the meshes their occlusion. Meshes that were changed since are left as they are.
    ///
    /// - Parameter results: What `run()` gave, job by job.
    public func apply(_ results: [[Float]]) {
        var values = [[Float]](repeating: [], count: targets.count)
        for (job, result) in zip(jobs, results) { values[job.part].append(contentsOf: result) }
        for (number, target) in targets.enumerated() {
            guard target.part < target.mesh.parts.count, target.mesh.parts[target.part].geometry === target.geometry else { continue }
            guard let occluded = target.geometry.withOcclusion(values[number]) else { continue }
            target.mesh.parts[target.part].geometry = occluded
        }
    }
}

extension Geometry {
    /// This geometry with nine occlusion coefficients a vertex; nil when `values` has another length.
    public func withOcclusion(_ values: [Float]) -> Geometry? {
        guard values.count == vertexCount * OcclusionHarmonics.count else { return nil }
        var attributes = self.attributes.filter { $0.semantic != .occlusionHarmonics }
        attributes.append(VertexAttribute(.occlusionHarmonics, componentCount: OcclusionHarmonics.count, values: values))
        do throws(GeometryError) {
            return try Geometry(topology: topology, attributes: attributes, indices: indices, morphTargets: morphTargets)
        } catch {
            return nil
        }
    }
}
