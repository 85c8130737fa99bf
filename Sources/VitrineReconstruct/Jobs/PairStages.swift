import VitrineFiles
import VitrineVision

/// Selects the pairs of photos to match: the first part of `MatchingStage`, if it is divided into blocks.
enum PairSelectionStage: Stage {
    struct Input: Sendable {
        let matching: MatchingStage.Input
    }

    /// The byte coding of a matcher's plan.
    struct Output: Sendable {
        let plan: PhotoMatcher.Plan
    }

    static let name = "pairs"
    static let version = 1

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("matching", MatchingStage.artifact(for: input.matching))
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Output {
        let matching = input.matching
        let features = try matching.features.map { try resources.load($0).features }
        return Output(
            plan: try PhotoMatcher().plan(
                features: features, guesses: matching.cameras, ordering: matching.isSequential ? .sequential : .unordered,
                parallel: context.parallel, isCancelled: { context.isCancelled }))
    }
}

/// Matches a block of the selected pairs. The pairs of all blocks, one after the other, are the output of `MatchingStage`.
enum PairMatchingStage: Stage {
    struct Input: Sendable {
        let selection: PairSelectionStage.Input
        let block: Int
        /// The number of blocks.
        let blocks: Int

        /// The block's part of `count` pairs.
        func range(of count: Int) -> Range<Int> { count * block / blocks..<count * (block + 1) / blocks }
    }

    typealias Output = StoredPairs

    static let name = "matches-block"
    static let version = 1

    static func fileName(for input: Input) -> String { "matches-\(input.block)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("selection", PairSelectionStage.artifact(for: input.selection))
        key.add("block", input.block)
        key.add("blocks", input.blocks)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> StoredPairs {
        let plan = try resources.load(PairSelectionStage.artifact(for: input.selection)).plan
        let (part, matching) = (input.range(of: plan.pairs.count), input.selection.matching)
        var isUsed = [Bool](repeating: false, count: matching.features.count)
        for pair in plan.pairs[part] { (isUsed[Int(pair.x)], isUsed[Int(pair.y)]) = (true, true) }
        let features = try zip(matching.features, isUsed).map { artifact, isUsed in isUsed ? try resources.load(artifact).features : nil }
        return StoredPairs(
            pairs: try matching.matcher(resources, in: context).match(
                part, of: plan, features: features, guesses: matching.cameras, parallel: context.parallel,
                progress: { context.report($0) }, isCancelled: { context.isCancelled }))
    }

    /// Joins the blocks to the output of `MatchingStage`.
    static func join(_ selection: PairSelectionStage.Input, blocks: Int, with resources: StageResources) throws -> StoredPairs {
        var joined = StoredPairs(pairs: [])
        for block in 0..<blocks {
            let input = Input(selection: selection, block: block, blocks: blocks)
            joined.pairs += try resources.load(PairMatchingStage.artifact(for: input)).pairs
        }
        return joined
    }
}

extension PairSelectionStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.encode(matching) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self { Self(matching: try reader.decode()) }
}

extension PairSelectionStage.Output: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(plan.pairs)
        writer.write(plan.dropsStill)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let pairs = try reader.array(of: SIMD2<UInt32>.self)
        guard pairs.allSatisfy({ $0.x < $0.y }) else { throw DamagedCheckpoint() }
        return Self(plan: PhotoMatcher.Plan(pairs: pairs, dropsStill: try reader.bool()))
    }
}

extension PairMatchingStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(selection)
        writer.write(block)
        writer.write(blocks)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(selection: try reader.decode(), block: try reader.int(), blocks: try reader.int())
        guard input.blocks > 0, input.blocks < 1 << 20, (0..<input.blocks).contains(input.block) else { throw DamagedCheckpoint() }
        return input
    }
}
