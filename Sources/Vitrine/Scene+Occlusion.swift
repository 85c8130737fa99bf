import VitrineScene

extension Scene {
    /// Works out, on all processors, how the scene's surfaces keep the environment's light from each other, and stores it with their
    /// vertices: see `OcclusionBake`. Call it after loading, once; a model of 15,000 vertices takes about a second of one processor.
    ///
    /// - Parameter progress: The share that is done, 0…1.
    /// - Throws: `CancellationError`; the scene is then unchanged.
    public func bakeOcclusion(
        options: OcclusionBake.Options = OcclusionBake.Options(), isolation: isolated (any Actor)? = #isolation,
        progress: (@Sendable (Double) -> Void)? = nil
    ) async throws {
        let bake = OcclusionBake(self, options: options)
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
