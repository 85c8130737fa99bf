import VitrineMath

/// Image retrieval: global descriptors of photos from their coarsest features (VLAD, Jégou et al. 2010, with the signed square root of Perronnin et
/// al. 2010). The vocabulary is learnt from the photos themselves, deterministically.
struct PhotoSimilarity: Sendable {
    /// The size of the vocabulary: large enough to distinguish photos of one scene, small enough to be learnt from them.
    private static let words = 64
    /// The number of features per photo, largest first.
    private static let featuresPerPhoto = 1000
    /// The number of features that the vocabulary is learnt from.
    private static let trainingCount = 16384
    private static let rounds = 8
    private static let length = FeatureSet.descriptorLength

    /// Unit vectors with `words * length` elements, one per photo; zero for a photo without features.
    private let vectors: [[Float]]

    init(_ photos: [PreparedFeatures], parallel: Parallel) {
        let vocabulary = Self.vocabulary(photos, parallel)
        vectors = parallel.map(photos.count) { Self.vector(of: photos[$0].features, vocabulary) }
    }

    /// The most similar other photos, best first.
    func nearest(to photo: Int, count: Int) -> [Int] {
        let similarities = vectors.indices.map { Self.product(vectors[photo], vectors[$0]) }
        return vectors.indices.filter { $0 != photo && similarities[$0] > 0 }
            .sorted { (similarities[$0], $1) > (similarities[$1], $0) }
            .prefix(count).map { $0 }
    }

    /// The similarity of two photos, −1…1.
    func similarity(_ a: Int, _ b: Int) -> Float { Self.product(vectors[a], vectors[b]) }

    // MARK: Vocabulary

    private struct Vocabulary {
        var words: [Float]
        /// Half the squared length of each word: the nearest word maximizes the product minus this.
        var halves: [Float]
    }

    /// Lloyd's k-means over features spread evenly over the photos.
    private static func vocabulary(_ photos: [PreparedFeatures], _ parallel: Parallel) -> Vocabulary {
        var samples: [Float] = []
        let perPhoto = max(8, trainingCount / max(1, photos.count))
        for photo in photos {
            let count = min(photo.count, featuresPerPhoto)
            let step = max(1, count / perPhoto)
            for feature in stride(from: 0, to: count, by: step) {
                samples += photo.features.descriptors[(feature * length)..<((feature + 1) * length)].lazy.map { Float($0) }
            }
        }
        let count = samples.count / length
        guard count > 0 else { return Vocabulary(words: [], halves: []) }
        var vocabulary = Vocabulary(words: [], halves: [])
        for word in 0..<words {
            let sample = word * count / words
            vocabulary.words += samples[(sample * length)..<((sample + 1) * length)]
        }
        vocabulary.halves = halves(vocabulary.words)
        let training = samples
        for _ in 0..<rounds {
            let current = vocabulary
            let nearest = parallel.map(count) { sample in
                training.withUnsafeBufferPointer { word(nearestTo: $0.baseAddress! + sample * length, current) }
            }
            var (sums, members) = ([Float](repeating: 0, count: words * length), [Int](repeating: 0, count: words))
            for sample in 0..<count {
                members[nearest[sample]] += 1
                for k in 0..<length { sums[nearest[sample] * length + k] += samples[sample * length + k] }
            }
            // A word without features does not move.
            for word in 0..<words where members[word] > 0 {
                for k in 0..<length { vocabulary.words[word * length + k] = sums[word * length + k] / Float(members[word]) }
            }
            vocabulary.halves = halves(vocabulary.words)
        }
        return vocabulary
    }

    private static func halves(_ words: [Float]) -> [Float] {
        (0..<words.count / length).map { word in
            words[(word * length)..<((word + 1) * length)].reduce(0) { $0 + $1 * $1 } * 0.5
        }
    }

    private static func word(nearestTo descriptor: UnsafePointer<Float>, _ vocabulary: Vocabulary) -> Int {
        var (best, greatest) = (0, -Float.infinity)
        vocabulary.words.withUnsafeBufferPointer { words in
            for word in vocabulary.halves.indices {
                let value = product(descriptor, words.baseAddress! + word * length, length) - vocabulary.halves[word]
                if value > greatest { (best, greatest) = (word, value) }
            }
        }
        return best
    }

    // MARK: Photos

    private static func vector(of features: FeatureSet, _ vocabulary: Vocabulary) -> [Float] {
        guard !vocabulary.words.isEmpty else { return [] }
        var sums = [Float](repeating: 0, count: words * length)
        var descriptor = [Float](repeating: 0, count: length)
        for feature in 0..<min(features.count, featuresPerPhoto) {
            for k in 0..<length { descriptor[k] = Float(features.descriptors[feature * length + k]) }
            let word = word(nearestTo: descriptor, vocabulary)
            for k in 0..<length { sums[word * length + k] += descriptor[k] - vocabulary.words[word * length + k] }
        }
        for i in sums.indices { sums[i] = sums[i] < 0 ? -(-sums[i]).squareRoot() : sums[i].squareRoot() }
        let norm = product(sums, sums).squareRoot()
        if norm > 0 { for i in sums.indices { sums[i] /= norm } }
        return sums
    }

    private static func product(_ a: [Float], _ b: [Float]) -> Float {
        a.withUnsafeBufferPointer { a in
            b.withUnsafeBufferPointer { b in
                guard let first = a.baseAddress, let second = b.baseAddress else { return 0 }
                return product(first, second, min(a.count, b.count))
            }
        }
    }

    /// Returns the dot product of two vectors.
    ///
    /// - Parameter count: A multiple of 8.
    private static func product(_ a: UnsafePointer<Float>, _ b: UnsafePointer<Float>, _ count: Int) -> Float {
        var sum = SIMD8<Float>.zero
        var i = 0
        while i < count {
            sum = load8(a + i) * load8(b + i) + sum
            i += 8
        }
        return sum.sum()
    }
}
