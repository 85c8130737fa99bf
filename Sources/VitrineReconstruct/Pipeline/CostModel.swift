import VitrineDense
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The costs of the steps in seconds of a 2025 server: fitted to 11 to 50 photos of five objects and scenes and to 36 to 2,000 of a rendered scene
/// (docs/measurements/scale.md). Only their proportions count: the machine's speed is estimated during the run.
struct CostModel: Sendable {
    /// Measurements of the photos during a run, and the assumptions before.
    struct Photos: Sendable {
        /// The mean number of features of a photo; nil: estimated from the photos' sizes.
        var features: Double?
        /// The largest number of features of a photo.
        var featureLimit = FeatureDetector.Options().maximumCount
        /// The fraction of the photos' pixels whose depth is estimated. Default: that of photos of an object without masks.
        var searched = 0.66
    }

    private let photos: Int
    private let features: Double
    /// Megapixels of all photos as stored, and at the sizes for feature detection and depth estimation.
    private let storedPixels, featurePixels, depthPixels: Double
    /// Whether features are detected at twice the photos' size.
    private let isDoubled: Bool
    private let depthOptions: DepthEstimator.Options
    private let threads: Int

    init(sizes: [PhotoSize], featureDimension: Int, depthDimension: Int, threads: Int, measured: Photos = Photos()) {
        photos = sizes.count
        func megapixels(_ limit: Int) -> Double { sizes.reduce(0) { $0 + Double($1.reduced(maximumSide: limit).pixels) } / 1e6 }
        (storedPixels, featurePixels) = (megapixels(.max), megapixels(featureDimension))
        depthPixels = megapixels(depthDimension) * measured.searched
        depthOptions = DepthEstimator.Options(dimension: depthDimension)
        isDoubled = (sizes.map(\.longerSide).max() ?? 0) <= FeatureDetector.Options().doublingSide
        self.threads = threads
        features =
            measured.features
            ?? min(Double(measured.featureLimit), Self.featuresPerMegapixel * featurePixels / Double(max(1, sizes.count)))
    }

    private static let featuresPerMegapixel = 12_000.0

    private func shared(_ seconds: Double) -> Double { seconds / Double(threads) }
    private var pairs: Double { Double(PhotoMatcher.Options().largestPairCount(photos: photos, ordering: .unordered)) }

    /// The work of a video: 25 frames at low resolution and one at full size for each photo.
    var video: Double { shared(1.5 * storedPixels + 0.2 * Double(photos)) }
    var intake: Double { shared(0.03 * storedPixels) + 0.05 }
    var detection: Double { shared((isDoubled ? 0.09 : 0.033) * featurePixels + 9e-6 * features * Double(photos)) }
    /// Of the similar pairs of many photos, some do not overlap: they cost little.
    var matching: Double {
        let all = photos <= PhotoMatcher.Options().exhaustiveCount
        return shared((all ? 0.008 + 2.7e-6 * features : 0.0042 + 1.15e-6 * features) * pairs)
    }
    /// Registration uses one thread and takes the same time for each photo; the bundle adjustments grow with the map, up to some hundred photos.
    var mapping: Double {
        let growth = (Double(min(500, max(10, photos))) / 80).squareRoot().squareRoot()
        let (serial, all) = (1.65e-5 * features * Double(photos), 3e-5 * features * Double(photos) * growth)
        return min(serial, all) + shared(max(0, all - serial))
    }
    var placement: Double { 0.2 + 0.004 * Double(photos) }

    /// Decoding and undistorting the photos for depth estimation: a part of its first pass.
    private var views: Double { shared(0.08 * storedPixels) }
    private var firstPass: Double { views + shared(depthOptions.firstPassWork * depthPixels) }
    var depth: Double { firstPass + shared(depthOptions.secondPassWork * depthPixels) }
    /// The fraction of the depth step's time that its first pass takes.
    var firstPassShare: Double { depth > 0 ? firstPass / depth : 0 }
    /// Blocks load the maps of their surroundings, too.
    var fusion: Double { shared((photos > FusionBlockStage.mostPhotosAtOnce ? 1.1 : 0.5) * depthPixels) }
    var surface: Double { 0.1 + shared(0.7 + 0.4 * depthPixels) }

    func texture(_ limits: DetailLimits) -> Double {
        let texels = Double(limits.textureDimension * limits.textureDimension) / 1e6
        return 0.5 + shared(1 + 0.5 * texels + 20 * Double(min(limits.triangles, 1_000_000)) / 1e6 + 0.03 * storedPixels)
    }

    func write(_ limits: DetailLimits) -> Double {
        0.06 * Double(limits.textureDimension * limits.textureDimension) / 1e6 + Double(min(limits.triangles, 1_000_000)) / 2e6
    }
}

extension DepthEstimator.Options {
    /// The seconds of a pass for each megapixel of the finished map: its sweeps, and the work on each pixel of its largest level.
    private func work(_ levels: ClosedRange<Int>, _ sweeps: (Int) -> Int) -> Double {
        func area(_ level: Int) -> Double { 1 / Double(1 << (2 * level)) }
        return levels.reduce(3 * area(levels.lowerBound)) { $0 + 1.1 * Double(sweeps($1)) * area($1) }
    }
    fileprivate var firstPassWork: Double {
        let coarsest = firstPassHalvings + levels - 1
        return work(firstPassHalvings...coarsest) { $0 == coarsest ? coarsestSweeps : self.sweeps }
    }
    fileprivate var secondPassWork: Double { work(0...firstPassHalvings) { _ in consistentSweeps } }
}
