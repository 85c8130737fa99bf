import VitrineFiles
import VitrineVision

/// The sizes of photos and depth maps that keep the reconstruction within a memory budget.
struct MemoryPlan: Sendable {
    let budget: Int
    /// Longer sides in pixels: of the photos in all stages, and of depth maps.
    let photoDimension: Int
    let depthDimension: Int
    /// The largest number of features of a photo, if fewer than usual: matching and mapping keep something of each feature of all photos.
    let featureLimit: Int?
    /// The number of photos whose depth is estimated side by side: much of the work on a photo uses one thread, or waits for the GPU.
    ///
    /// - Parameter isOnGPU: Whether a GPU estimates the depth.
    func photosAtOnce(isOnGPU: Bool) -> Int {
        max(1, min(max(threads / 4, isOnGPU ? 3 : 1), 1 + (budget - stage) / 2 / max(1, stereo)))
    }
    /// The estimated peak memory of depth estimation with `photosAtOnce`, bytes.
    func depthStage(isOnGPU: Bool) -> Int { stage + (photosAtOnce(isOnGPU: isOnGPU) - 1) * stereo }
    /// The limit for photos during depth estimation, bytes.
    func viewBytes(photosAtOnce: Int = 1) -> Int { max(0, budget - stage - (photosAtOnce - 1) * stereo) / 3 }
    /// The limit for photos during texturing, bytes.
    var textureBytes: Int { min(384 << 20, viewBytes()) }
    /// The limit for depth maps and photos during fusion, bytes.
    var fusionBytes: Int { max(64 << 20, min(512 << 20, budget / 4)) }
    /// The largest number of points of a cloud that is fused in blocks: their surface takes three quarters of the budget, or all of a small one that the
    /// process leaves. Its octree has cells for the points, and no more than the limit of triangles can represent.
    var mostPoints: Int {
        let room = min(budget / 4 * 3, budget - Self.base)
        let withAllCells = (room - triangles * Self.cellsPerTriangle * Self.cellBytes) / Self.pointBytes
        return max(Self.leastPoints, withAllCells, room / (Self.pointBytes + Self.cellsPerPoint * Self.cellBytes))
    }
    /// The pixels of depth maps that a block fuses: 20 million give about 7 million points before they are thinned, 430 MB and as much for thinning.
    var blockPixels: Int { max(2_000_000, min(20_000_000, budget / 200)) }
    /// The estimated memory of a model's surface, without that of the process.
    ///
    /// - Parameter points: The number of points of the cloud.
    func surfaceBytes(points: Int) -> Int {
        points * Self.pointBytes + min(points * Self.cellsPerPoint, triangles * Self.cellsPerTriangle) * Self.cellBytes
    }
    /// The estimated peak memory.
    var needed: Int { max(stage, alignment, triangles == 0 ? 0 : Self.base + surfaceBytes(points: min(largestCloud, mostPoints))) }
    /// The estimated peak memory of matching and mapping.
    let alignment: Int
    /// The estimated peak memory of the other stages, with one photo at once during depth estimation.
    let stage: Int
    /// The estimated memory for estimating the depth of a photo.
    private let stereo: Int
    private let threads: Int
    /// The models have fewer triangles than this; 0 without models.
    let triangles: Int
    /// The largest number of points that all depth maps give: three maps confirm a point.
    let largestCloud: Int
    var fits: Bool { needed <= budget }

    /// - Parameters:
    ///   - sizes: The sizes of the stored photos.
    ///   - areReducible: Whether all photos can be decoded at a half, a quarter or an eighth of their size.
    ///   - textureDimension: The longest side of the models' textures; 0 without models.
    ///   - triangles: The largest limit of triangles of the models; 0 without models.
    ///   - features: The largest number of features of a photo.
    init(
        sizes: [PhotoSize], areReducible: Bool = false, budget: Int, threads: Int, depthDimension: Int, textureDimension: Int,
        triangles: Int = 0, features: Int = FeatureDetector.Options().maximumCount
    ) {
        let largest = sizes.max { $0.pixels < $1.pixels } ?? PhotoSize(width: 1, height: 1)
        // Texturing has accumulators in addition to the maps: measured at about 40 bytes per texel.
        let texture = textureDimension * textureDimension * 40
        func stereo(_ side: Int, _ depth: Int) -> Int {
            largest.reduced(maximumSide: min(side, depth)).pixels * (150 + 12 * 8) + MemoryPlan.decoding(largest, at: side, areReducible)
        }
        func need(_ side: Int, _ depth: Int) -> Int {
            let photo = largest.reduced(maximumSide: side).pixels
            let searched = largest.reduced(maximumSide: min(side, PipelineSettings.featureDimension))
            let search =
                threads * (FeatureStage.detectionBytes(searched) + MemoryPlan.decoding(largest, at: searched.longerSide, areReducible))
            let decoding = threads * MemoryPlan.decoding(largest, at: side, areReducible)
            return 150 << 20 + photo * 3 * 4 + max(search, stereo(side, depth), texture + photo * 3 * (threads + 2) + decoding)
        }
        (self.budget, self.triangles, self.threads) = (budget, triangles, threads)
        // If the textures alone need more, smaller photos would not help.
        let limit = max(budget, need(640, 480) * 9 / 8)
        var (side, depth) = (min(largest.longerSide, PhotoLimits.longestSide), depthDimension)
        while need(side, depth) > limit, side > 640 { side = max(640, side * 7 / 8) }
        while need(side, depth) > limit, depth > 480 { depth = max(480, depth * 7 / 8) }
        (photoDimension, self.depthDimension) = (side, depth)
        let count = max(Self.leastFeatures, ((budget - Self.base) / max(1, sizes.count) - Self.photoBytes) / Self.featureBytes / 100 * 100)
        featureLimit = count < features ? count : nil
        alignment = Self.base + sizes.count * (Self.photoBytes + min(count, features) * Self.featureBytes)
        (stage, self.stereo) = (need(side, depth), stereo(side, depth))
        largestCloud = sizes.reduce(0) { $0 + $1.reduced(maximumSide: min(side, depth)).pixels } / 3
    }

    /// The bytes that matching and mapping keep of each feature and of each photo, if all features are matched: 1,000 synthetic photos took 450 bytes a
    /// feature with 890 features each, and 496 with 7,600.
    private static let featureBytes = 500, photoBytes = 160_000
    private static let base = 150 << 20
    /// The bytes that the surface keeps of each point and of each cell of its octree, computed from its arrays, and the limits of cells for each point
    /// and triangle, which `SurfaceGrowthTests` checks.
    private static let pointBytes = 250, cellBytes = 120, cellsPerPoint = 4, cellsPerTriangle = 32
    /// With fewer points, a surface is coarser than the preview's limit of triangles.
    private static let leastPoints = 250_000
    /// With fewer features, photos are often not aligned.
    private static let leastFeatures = 1_000

    /// The memory for decoding a photo: the file's pixels as RGBA, then the requested pixels as RGBA and as colours.
    private static func decoding(_ size: PhotoSize, at side: Int, _ isReducible: Bool) -> Int {
        let eighths = isReducible ? [1, 2, 4].first { (size.longerSide * $0 + 7) / 8 >= side } ?? 8 : 8
        return size.pixels * eighths * eighths / 64 * 4 + size.reduced(maximumSide: side).pixels * 7
    }
}

extension PhotogrammetrySession.Configuration {
    /// The memory limit, bytes.
    var memoryLimit: Int { memoryBudget ?? ProcessMemory.machine / 2 }
}
