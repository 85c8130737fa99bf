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

/// The costs of the steps in processor seconds of a 2025 server: fitted to 11 to 50 photos of five objects and to 100 to 1,000 of a rendered scene
/// (docs/measurements/photos.md, scale.md). Only their proportions count: the machine's speed is estimated during the run.
struct CostModel: Sendable {
    var photos: Int
    /// The mean number of features of a photo: estimated from the photos' sizes until some are counted.
    var features: Double
    /// Megapixels of all photos as stored, and at the sizes for feature detection and depth estimation.
    var storedPixels, featurePixels, depthPixels: Double
    let depthDimension: Int
    /// The fraction of the photos' pixels whose depth is estimated: known when the object is segmented.
    var depthFraction: Double
    var threads: Int

    /// - Parameters:
    ///   - features: The mean number of features of a photo; nil: not known yet.
    ///   - featureLimit: The largest number of features of a photo.
    init(
        sizes: [PhotoSize], featureDimension: Int, depthDimension: Int, depthFraction: Double, threads: Int, features: Double? = nil,
        featureLimit: Int = FeatureDetector.Options().maximumCount
    ) {
        photos = sizes.count
        func megapixels(_ limit: Int) -> Double { sizes.reduce(0) { $0 + Double($1.reduced(maximumSide: limit).pixels) } / 1e6 }
        (storedPixels, featurePixels, depthPixels) = (megapixels(.max), megapixels(featureDimension), megapixels(depthDimension))
        (self.depthDimension, self.depthFraction, self.threads) = (depthDimension, depthFraction, threads)
        self.features = features ?? min(Double(featureLimit), Self.featuresPerMegapixel * featurePixels / Double(max(1, sizes.count)))
    }

    private static let featuresPerMegapixel = 12_000.0

    private func shared(_ seconds: Double) -> Double { seconds / Double(threads) }
    private var pairs: Double { Double(PhotoMatcher.Options().largestPairCount(photos: photos, ordering: .unordered)) }

    /// The work of a video: 25 frames at low resolution and one at full size for each photo.
    var video: Double { shared(1.5 * storedPixels + 0.2 * Double(photos)) }
    var intake: Double { shared(0.03 * storedPixels) + 0.05 }
    var detection: Double { shared(0.09 * featurePixels + 9e-6 * features * Double(photos)) }
    /// Of the similar pairs of many photos, some do not overlap: they cost little.
    var matching: Double {
        let all = photos <= PhotoMatcher.Options().exhaustiveCount
        return shared((all ? 0.007 + 4.3e-6 * features : 0.0042 + 1.15e-6 * features) * pairs)
    }
    /// Grows with the power of 9/8 beyond 100 photos.
    var mapping: Double {
        let growth = max(1, Double(photos) / 100).squareRoot().squareRoot().squareRoot()
        return shared((0.03 + 2.6e-5 * features) * Double(photos) * growth)
    }
    var placement: Double { 0.3 }
    /// Larger maps have more sweeps.
    var depth: Double { shared((depthDimension > 1_100 ? 12 : depthDimension > 800 ? 9 : 5) * depthFraction * depthPixels) }
    var fusion: Double { shared(0.6 * depthFraction * depthPixels) }
    var surface: Double { shared(1.5 + 0.5 * depthFraction * depthPixels) }

    func texture(_ limits: DetailLimits) -> Double {
        let texels = Double(limits.textureDimension * limits.textureDimension) / 1e6
        return shared(texels + Double(min(limits.triangles, 1_000_000)) / 1e6 * 40 + 0.17 * storedPixels)
    }

    func write(_ limits: DetailLimits) -> Double {
        0.1 * Double(limits.textureDimension * limits.textureDimension) / 1e6 + Double(min(limits.triangles, 1_000_000)) / 2e6
    }
}
