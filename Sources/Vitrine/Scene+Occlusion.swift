import VitrineScene

extension Scene {
    /// Bakes ambient occlusion into the vertices of the scene, on all processors.
    ///
    /// Call it once after loading. A model of 15,000 vertices takes about a second of processor time.
    ///
    /// - Parameters:
    ///   - directionCount: The number of directions over the whole sphere; about half of them are above a vertex's surface and are traced. 16…1024.
    ///   - maximumTriangleCount: The largest number of triangles of a scene that is baked; larger scenes stay unchanged.
    ///   - progress: Called with the completed fraction, 0…1.
    /// - Throws: `CancellationError`; the scene is then unchanged.
    public func bakeOcclusion(
        directionCount: Int = 128, maximumTriangleCount: Int = 2_000_000, isolation: isolated (any Actor)? = #isolation,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws {
        let bake = OcclusionBake(
            self, options: OcclusionBake.Options(directionCount: directionCount, maximumTriangleCount: maximumTriangleCount))
        let jobs = bake.jobs
        let results = try await withThrowingTaskGroup(of: (Int, [Float]).self) { group in
            for (number, job) in jobs.enumerated() {
                group.addTask {
                    try Task.checkCancellation()
                    return (number, job.run())
                }
            }
            var results = [[Float]](repeating: [], count: jobs.count)
            var finished = 0
            for try await (number, result) in group {
                results[number] = result
                finished += 1
                progress?(Double(finished) / Double(jobs.count))
            }
            return results
        }
        bake.apply(results)
    }
}
