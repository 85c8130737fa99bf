import VitrineFiles
import VitrineVision

/// How large photos may be for the work to stay within a budget of memory.
struct MemoryPlan: Sendable {
    let budget: Int
    /// Longer sides in pixels: of the photos in all stages, and of depth maps.
    let photoDimension: Int
    let depthDimension: Int
    /// For photos during depth estimation, bytes.
    var viewBytes: Int { max(0, budget - needed) / 3 }
    /// For photos during texturing, bytes.
    var textureBytes: Int { min(384 << 20, viewBytes) }
    /// For depth maps and photos during fusion, bytes.
    var fusionBytes: Int { max(64 << 20, min(512 << 20, budget / 4)) }
    /// The estimated peak memory.
    let needed: Int
    var fits: Bool { needed <= budget }

    /// - Parameters:
    ///   - sizes: of the photos as stored.
    ///   - areReducible: whether all of them can be decoded at a half, a quarter or an eighth of their size.
    ///   - textureDimension: the longest side of the models' textures; 0 without models.
    init(
        sizes: [PhotoSize], areReducible: Bool = false, budget: Int, threads: Int, depthDimension: Int, textureDimension: Int
    ) {
        let largest = sizes.max { $0.pixels < $1.pixels } ?? PhotoSize(width: 1, height: 1)
        // Texturing holds accumulators besides the maps: measured at about 40 bytes a texel.
        let texture = textureDimension * textureDimension * 40
        func need(_ side: Int, _ depth: Int) -> Int {
            let (photo, map) = (largest.reduced(maximumSide: side).pixels, largest.reduced(maximumSide: min(side, depth)).pixels)
            let searched = largest.reduced(maximumSide: min(side, PipelineSettings.featureDimension))
            let search =
                threads * (FeatureStage.detectionBytes(searched) + MemoryPlan.decoding(largest, at: searched.longerSide, areReducible))
            let decoding = threads * MemoryPlan.decoding(largest, at: side, areReducible)
            let stereo = map * 150 + map * 12 * 8 + MemoryPlan.decoding(largest, at: side, areReducible)
            return 150 << 20 + photo * 3 * 4 + max(search, stereo, texture + photo * 3 * (threads + 2) + decoding)
        }
        self.budget = budget
        // Where the textures alone take more, tiny photos would not help.
        let limit = max(budget, need(640, 480) * 9 / 8)
        var (side, depth) = (min(largest.longerSide, PhotoLimits.longestSide), depthDimension)
        while need(side, depth) > limit, side > 640 { side = max(640, side * 7 / 8) }
        while need(side, depth) > limit, depth > 480 { depth = max(480, depth * 7 / 8) }
        (photoDimension, self.depthDimension) = (side, depth)
        needed = need(side, depth)
    }

    /// What decoding one photo takes: the file's pixels as RGBA, then those that are wanted as RGBA and as colours.
    private static func decoding(_ size: PhotoSize, at side: Int, _ isReducible: Bool) -> Int {
        let eighths = isReducible ? [1, 2, 4].first { (size.longerSide * $0 + 7) / 8 >= side } ?? 8 : 8
        return size.pixels * eighths * eighths / 64 * 4 + size.reduced(maximumSide: side).pixels * 7
    }
}

extension PhotogrammetrySession.Configuration {
    /// The memory to keep within, bytes.
    var memoryLimit: Int { memoryBudget ?? ProcessMemory.machine / 2 }
}
