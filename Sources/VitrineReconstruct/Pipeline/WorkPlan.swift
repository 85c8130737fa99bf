import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The steps of a job in their order, with their estimated costs.
struct WorkPlan: Sendable {
    /// A step of the job; a `ProcessingStage` consists of several steps.
    enum Step: Hashable, Sendable {
        case video
        case intake, features, matching, mapping, placement
        case depth, fusion
        case surface(Int)
        case texture(Int)
        case write(Int)

        var stage: PhotogrammetrySession.Output.ProcessingStage {
            switch self {
            case .video, .intake: .preProcessing
            case .features, .matching, .mapping, .placement: .imageAlignment
            case .depth, .fusion: .pointCloudGeneration
            case .surface: .meshGeneration
            case .texture: .textureMapping
            case .write: .optimization
            }
        }

        /// For the report.
        var name: String {
            switch self {
            case .video: "choosing frames"
            case .intake: "reading photos"
            case .features: "features"
            case .matching: "matching"
            case .mapping: "cameras"
            case .placement: "placement"
            case .depth: "depth"
            case .fusion: "points"
            case .surface: "surface"
            case .texture: "texture"
            case .write: "writing"
            }
        }
    }

    struct Item: Sendable {
        let step: Step
        /// Seconds on one core of the machine on which the coefficients were measured.
        let cost: Double
        /// The indices of the requests that need the step.
        let requests: Set<Int>
    }

    let items: [Item]
}

/// The costs of the steps in seconds, measured with 36 photos of 960 × 720 on two cores. Only their proportions count: the machine's speed
/// is estimated during the run.
struct CostModel: Sendable {
    var photos: Int
    /// Megapixels of all photos as stored, and at the sizes for feature detection and depth estimation.
    var storedPixels, featurePixels, depthPixels: Double
    let depthDimension: Int
    /// The fraction of the photos' pixels whose depth is estimated: known when the object is segmented.
    var depthFraction: Double
    var threads: Int

    init(sizes: [PhotoSize], featureDimension: Int, depthDimension: Int, depthFraction: Double, threads: Int) {
        photos = sizes.count
        func megapixels(_ limit: Int) -> Double { sizes.reduce(0) { $0 + Double($1.reduced(maximumSide: limit).pixels) } / 1e6 }
        (storedPixels, featurePixels, depthPixels) = (megapixels(.max), megapixels(featureDimension), megapixels(depthDimension))
        (self.depthDimension, self.depthFraction, self.threads) = (depthDimension, depthFraction, threads)
    }

    private func shared(_ seconds: Double) -> Double { seconds / Double(threads) }
    private var pairs: Double { Double(PhotoMatcher.Options().largestPairCount(photos: photos, ordering: .unordered)) }

    /// The work of a video: 25 frames at low resolution and one at full size for each photo.
    var video: Double { shared(1.5 * storedPixels + 0.2 * Double(photos)) }
    var intake: Double { shared(0.06 * storedPixels) + 0.05 }
    var features: Double { shared(1.2 * featurePixels) }
    /// Larger photos have more features, up to a limit.
    var matching: Double { shared(0.07 * pairs * min(2, featurePixels / Double(max(1, photos)) / 0.69).squareRoot()) }
    /// Grows with the square of few photos; of more than 100 (up to 400 of a large scene, 640 × 480, were measured) with the power of 9/8.
    var mapping: Double {
        let count = Double(photos)
        return shared(
            count <= 100 ? 0.008 * count * count + 0.25 * count : 1.05 * count * (count / 100).squareRoot().squareRoot().squareRoot())
    }
    var placement: Double { 0.3 }
    /// Above 1,100 pixels the second pass has another sweep.
    var depth: Double { shared((depthDimension > 1_100 ? 14 : 10.5) * depthFraction * depthPixels) }
    var fusion: Double { shared(0.8 * depthFraction * depthPixels) }
    var surface: Double { shared(3 + 0.15 * depthPixels) }

    func texture(_ limits: DetailLimits) -> Double {
        let texels = Double(limits.textureDimension * limits.textureDimension) / 1e6
        return shared(4 * texels + Double(min(limits.triangles, 1_000_000)) / 1e6 * 100 + 0.6 * storedPixels)
    }

    func write(_ limits: DetailLimits) -> Double {
        0.25 * Double(limits.textureDimension * limits.textureDimension) / 1e6 + Double(min(limits.triangles, 1_000_000)) / 2e6
    }
}
