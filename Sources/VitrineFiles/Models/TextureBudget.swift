import VitrineScene

/// Reduces decoded images to a memory limit: halves the largest image in both directions repeatedly until all of them fit.
struct TextureBudget {
    /// An image and the size that it is decoded to.
    struct Entry: Equatable {
        /// The number of the owner.
        let job: Int
        private(set) var width, height: Int
        private let fullWidth, fullHeight, bytesPerPixel: Int

        init(job: Int, header: ImageFile.Header) {
            self.job = job
            (fullWidth, fullHeight, bytesPerPixel) = (header.width, header.height, header.format.bytesPerPixel)
            (width, height) = (fullWidth, fullHeight)
        }

        var longestSide: Int { max(width, height) }
        var bytes: Int { width * height * bytesPerPixel }

        /// Scales down to a longest side, as `ImageFile.decode(_:name:maximumSide:limits:)` does.
        ///
        /// - Returns: false if the image has no such size.
        mutating func limit(side: Int) -> Bool {
            guard side >= 1, side < longestSide else { return false }
            let longest = max(fullWidth, fullHeight)
            width = ImageFile.reduced(fullWidth, longest: longest, to: side)
            height = ImageFile.reduced(fullHeight, longest: longest, to: side)
            return true
        }
    }

    /// The size in bytes of all images in full size.
    let bytesBefore: Int
    /// The entries of images that were scaled down, with their new sizes, in order.
    let scaled: [Entry]

    /// Scales images down until all fit into a limit in bytes.
    ///
    /// - Parameter entries: The entries of images within `ImageLimits`, so that sums cannot overflow.
    init(_ entries: [Entry], limit: Int) {
        var total = entries.reduce(0) { $0 + $1.bytes }
        bytesBefore = total
        // Two queues of decreasing sizes: original images and halved images. The larger of both heads is the next.
        let whole = entries.sorted { ($1.bytes, $0.job) < ($0.bytes, $1.job) }
        var halved: [Entry] = []
        var (nextWhole, nextHalved) = (0, 0)
        var changed: [Int: Entry] = [:]
        while total > limit {
            let fromWhole = nextWhole < whole.count ? whole[nextWhole] : nil
            let fromHalved = nextHalved < halved.count ? halved[nextHalved] : nil
            guard var entry = [fromWhole, fromHalved].compactMap({ $0 }).max(by: { $0.bytes < $1.bytes }) else { break }
            if fromWhole == entry { nextWhole += 1 } else { nextHalved += 1 }
            let before = entry.bytes
            guard entry.limit(side: entry.longestSide / 2) else { continue }
            total -= before - entry.bytes
            changed[entry.job] = entry
            halved.append(entry)
        }
        scaled = changed.values.sorted { $0.job < $1.job }
    }
}
