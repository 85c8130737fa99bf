import VitrineDense

/// The structures `Level` and `Sweep` of `PatchMatchShader`, in vectors of 16 bytes.
struct SweepUniforms {
    /// The largest number of random steps of a sweep.
    static let mostSteps = 3

    private(set) var vectors: [SIMD4<UInt32>] = []

    private mutating func add(_ vector: SIMD4<Float>) { vectors.append(unsafeBitCast(vector, to: SIMD4<UInt32>.self)) }
    private mutating func add(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {
        vectors.append(
            SIMD4(
                UInt32(truncatingIfNeeded: a), UInt32(truncatingIfNeeded: b), UInt32(truncatingIfNeeded: c), UInt32(truncatingIfNeeded: d)))
    }
}

extension SweepUniforms {
    /// The structure `Level`.
    ///
    /// - Parameters:
    ///   - firstWords: The first word of each image in the buffer `words`: of the reference, then of the sources.
    ///   - firstDepths: The first value of each source's map in the buffer `depths`; nil for a source without a map.
    init(_ level: StereoLevel, firstWords: [Int], firstDepths: [Int?]) {
        let solver = level.solver
        let image = level.reference.image
        add(solver.width, solver.height, solver.sourceCount, solver.viewsPerPixel)
        add(
            firstWords[0] + StereoImage.border * (image.stride + 1), image.stride, Int(solver.seed), solver.priors == nil ? 0 : 1)
        add(SIMD4(solver.focal.x, solver.focal.y, solver.center.x, solver.center.y))
        add(SIMD4(solver.inverseDepths.lowerBound, solver.inverseDepths.upperBound, 0, 0))
        for (index, other) in level.others.enumerated() {
            let source = solver.sources[index]
            for geometry in [source.fromReference, source.fromSource] {
                for column in [geometry.mx, geometry.my, geometry.m1, geometry.b] { add(column) }
            }
            add(SIMD4(source.low.x, source.low.y, source.high.x, source.high.y))
            add(firstWords[index + 1], other.image.stride, other.image.wordCount, 0)
            add(firstDepths[index] ?? 0, Int(source.mapWidth), Int(source.mapHeight), firstDepths[index] == nil ? 0 : 1)
            add(SIMD4(source.mapScale, 0, 0, 0))
        }
        let unused = DepthEstimator.maximumSources - level.others.count
        vectors += Array(repeating: .zero, count: unused * SweepUniforms.vectorsPerSource)
        for code in stride(from: 0, to: PatchMatch.goodness.count, by: 4) {
            add(SIMD4(PatchMatch.goodness[code..<code + 4]))
        }
    }

    private static let vectorsPerSource = 12

    /// The structure `Sweep`.
    ///
    /// - Parameters:
    ///   - sweep: nil to evaluate the planes.
    ///   - color: The colour of the checkerboard, 0 or 1.
    init(_ sweep: Sweep?, rows: Range<Int>, color: Int = 0, needsViewCosts: Bool = true) {
        precondition((sweep?.steps.count ?? 0) <= SweepUniforms.mostSteps)
        add(rows.lowerBound, rows.upperBound, color, needsViewCosts ? 1 : 0)
        add(sweep?.armReach ?? 0, sweep?.steps.count ?? 0, sweep?.triesAnywhere == true ? 1 : 0, sweep?.number ?? 0)
        for index in 0..<SweepUniforms.mostSteps {
            let step = sweep.flatMap { index < $0.steps.count ? $0.steps[index] : nil } ?? .zero
            add(SIMD4(step.x, step.y, 0, 0))
        }
    }

    static let sweepSize = (2 + mostSteps) * 16
}
