import VitrineDense
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The costs of the steps in seconds of a 2025 server: fitted to 7 to 87 photos of 13 objects and scenes and to 36 to 2,000 of a rendered scene
/// (docs/measurements/scale.md). Only their proportions count: the machine's speed is estimated during the run.
struct CostModel: Sendable {
    /// Measurements of the photos during a run, and the assumptions before.
    struct Photos: Sendable {
        /// The mean number of features of a photo; nil: estimated from the photos' sizes.
        var features: Double?
        /// The largest number of features of a photo.
        var featureLimit = FeatureDetector.Options().maximumCount
        /// The sizes of the photos that are registered, or that matches connect to each other; nil: all.
        var registered: [PhotoSize]?
        /// The fraction of their pixels whose depth is estimated. Default: that of photos of an object without masks.
        var searched = 0.72
    }

    private let photos, registered: Int
    private let features: Double
    /// Megapixels of all photos as stored, and at the size for feature detection.
    private let storedPixels, featurePixels: Double
    /// The sizes of the registered photos, their megapixels as stored, and those whose depth is estimated.
    private let registeredSizes: [PhotoSize]
    private let decodedPixels, depthPixels: Double
    /// Whether features are detected at twice the photos' size.
    private let isDoubled: Bool
    private let depthOptions: DepthEstimator.Options
    /// The longer side of the photos for the most detailed texture, pixels.
    private let viewDimension: Int
    private let threads: Int

    init(
        sizes: [PhotoSize], featureDimension: Int, depthDimension: Int, viewDimension: Int, threads: Int, measured: Photos = Photos()
    ) {
        let used = measured.registered ?? sizes
        (photos, registered, registeredSizes) = (sizes.count, used.count, used)
        (storedPixels, featurePixels) = (Self.megapixels(sizes), Self.megapixels(sizes, at: featureDimension))
        decodedPixels = Self.megapixels(used)
        depthPixels = Self.megapixels(used, at: depthDimension) * measured.searched
        depthOptions = DepthEstimator.Options(dimension: depthDimension)
        isDoubled = (sizes.map(\.longerSide).max() ?? 0) <= FeatureDetector.Options().doublingSide
        (self.viewDimension, self.threads) = (viewDimension, threads)
        features =
            measured.features
            ?? min(Double(measured.featureLimit), Self.featuresPerMegapixel * featurePixels / Double(max(1, sizes.count)))
    }

    private static func megapixels(_ sizes: [PhotoSize], at side: Int = .max) -> Double {
        sizes.reduce(0) { $0 + Double($1.reduced(maximumSide: side).pixels) } / 1e6
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
        let growth = pow(Double(min(500, max(10, registered))) / 80, 0.4)
        let (serial, all) = (1.65e-5 * features * Double(registered), 2.5e-5 * features * Double(registered) * growth)
        return min(serial, all) + shared(max(0, all - serial) + searching)
    }
    /// The features of photos that cannot be registered are compared with up to 30,000 points of the map, four times.
    private var searching: Double {
        Double(photos - registered) * 3.2e-8 * features * min(30_000, 0.15 * features * Double(registered))
    }
    var placement: Double { 0.1 + 0.004 * Double(registered) }

    /// Decoding the photos, and undistorting them for depth and textures: the beginning of depth estimation.
    private var views: Double { shared(0.032 * decodedPixels + 0.091 * viewPixels(viewDimension)) }
    private func viewPixels(_ dimension: Int) -> Double { Self.megapixels(registeredSizes, at: dimension) }
    private var firstPass: Double { shared(depthOptions.firstPassWork * depthPixels) }
    var depth: Double { views + firstPass + shared(depthOptions.secondPassWork * depthPixels) }
    var depthShares: DepthShares {
        depth > 0 ? DepthShares(views: views / depth, firstPass: (views + firstPass) / depth) : DepthShares(views: 0, firstPass: 0)
    }
    /// Blocks load the maps of their surroundings, too.
    var fusion: Double { shared((registered > FusionBlockStage.mostPhotosAtOnce ? 1.1 : 0.5) * depthPixels) }
    var surface: Double { 0.1 + shared(0.7 + 0.4 * depthPixels) }

    func texture(_ limits: DetailLimits) -> Double {
        let texels = Double(limits.textureDimension * limits.textureDimension) / 1e6
        let triangles = Double(min(limits.triangles, 1_000_000)) / 1e6
        return 0.5 + shared(1 + 0.5 * texels + 20 * triangles + 0.02 * viewPixels(limits.viewDimension))
    }

    func write(_ limits: DetailLimits) -> Double {
        0.06 * Double(limits.textureDimension * limits.textureDimension) / 1e6 + Double(min(limits.triangles, 1_000_000)) / 2e6
    }
}

/// The fractions of the depth step's time after which the photos are undistorted, and the first pass is complete.
struct DepthShares: Sendable {
    let views, firstPass: Double
}

extension DepthEstimator.Options {
    /// The seconds of a pass for each megapixel of the finished map: its sweeps, and the work on each pixel of its largest level.
    private func work(_ levels: ClosedRange<Int>, _ sweeps: (Int) -> Int) -> Double {
        func area(_ level: Int) -> Double { 1 / Double(1 << (2 * level)) }
        return levels.reduce(2.6 * area(levels.lowerBound)) { $0 + 0.96 * Double(sweeps($1)) * area($1) }
    }
    fileprivate var firstPassWork: Double {
        let coarsest = firstPassHalvings + levels - 1
        return work(firstPassHalvings...coarsest) { $0 == coarsest ? coarsestSweeps : self.sweeps }
    }
    fileprivate var secondPassWork: Double { work(0...firstPassHalvings) { _ in consistentSweeps } }
}
