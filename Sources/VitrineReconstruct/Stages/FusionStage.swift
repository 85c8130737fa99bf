import VitrineDense
import VitrineFiles
import VitrineMath
import VitrineVision

/// Fuses depth maps into one cloud of oriented points, in the placed frame.
enum FusionStage: Stage {
    struct Input: Sendable {
        let views: [PhotoViewReference<PlacedFrame>]
        /// The depth map of each view.
        let maps: [Artifact<DepthMap>]
        /// The indices of the views that may confirm the map of each view.
        let sources: [[Int]]
        /// Points outside are removed; placed frame. nil: all points are kept.
        let bounds: OrientedBox?
        /// The plane on which the object lies in each view, in the placed frame; its points are removed. If empty, the points of all views
        /// are kept.
        var tables: [Plane3<Float>?] = []
        /// The margin of the masks: see `DepthFusion.Options.maskMargin`.
        var maskMargin: Double?
        /// Whether all photos of a static background are of one position of the camera before a turntable: see `CleanPlate`.
        var isOnTurntable = false
        /// Bytes of maps and photos in memory at once; the output does not depend on it.
        let memory: Int
        /// The blocks that are fused on their own; empty: all at once.
        var blocks: [DepthFusion.Block] = []
        /// The largest number of points of all blocks together: a larger cloud is thinned.
        var mostPoints = 0
    }

    typealias Output = OrientedPoints

    static let name = "points"
    static let version = 2

    static func describe(_ input: Input, in key: inout StageKey) {
        for view in input.views { view.describe("view", in: &key) }
        key.add("maps", input.maps)
        key.add("sources", input.sources)
        key.add("bounds", input.bounds)
        if !input.tables.isEmpty { key.add("tables", input.tables) }
        if let margin = input.maskMargin { key.add("mask margin", margin) }
        if input.isOnTurntable { key.add("clean plate", true) }
        if !input.blocks.isEmpty {
            key.add("blocks", input.blocks)
            key.add("most points", input.mostPoints)
        }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> OrientedPoints {
        guard !input.blocks.isEmpty else { return try fuse(input, nil, with: resources, in: context) }
        let blocks = input.blocks.indices.map { FusionBlockStage.Input(fusion: input, block: $0) }
        // Only one is in memory until all are fused.
        var (count, views) = (0, 0)
        for (index, block) in blocks.enumerated() {
            let part = context.part(from: Double(index) / Double(blocks.count), to: Double(index + 1) / Double(blocks.count))
            let points = try resources.output(of: FusionBlockStage.self, block, in: part).value
            (count, views) = (count + points.count, views + points.viewIndices.count)
        }
        var joined = OrientedPoints()
        joined.reserveCapacity(count, views: views)
        for block in blocks { joined.append(try resources.output(of: FusionBlockStage.self, block, in: context).value) }
        return joined
    }

    /// Fuses the depth maps.
    ///
    /// - Parameter block: nil: all of space.
    static func fuse(
        _ input: Input, _ block: DepthFusion.Block?, with resources: StageResources, in context: StageContext
    ) throws -> OrientedPoints {
        var options = DepthFusion.Options()
        options.bounds = input.bounds
        options.maskMargin = input.maskMargin
        // Two photos cannot satisfy a minimum of three.
        options.minimumViews = min(options.minimumViews, max(2, input.views.count - 1))
        options.memory = input.memory
        options.block = block
        let masks = try turningMasks(input, resources, context)
        let points = try DenseError.reported {
            try DepthFusion(options: options).fuse(
                count: input.maps.count, sources: input.sources, map: { try resources.load(input.maps[$0]) },
                view: { try input.views[$0].load(resources, in: context) },
                isObserved: { block.map(input.views[$0].mayObserve) ?? true },
                silhouettes: masks.regions, foregrounds: masks.foregrounds, in: context)
        }
        return input.tables.isEmpty ? points : withoutTables(points, input)
    }

    /// Returns the region of each view in which the object turns before a static background, sharper than that of the thumbnails, which
    /// JPEG blurs, and the pixels that do not show the background on a turntable; empty for other masks.
    private static func turningMasks(
        _ input: Input, _ resources: StageResources, _ context: StageContext
    ) throws -> (regions: [MaskPlane?], foregrounds: [MaskPlane?]) {
        guard let margin = input.maskMargin, margin < 0 else { return ([], []) }
        let side = input.views.count > 200 ? 320 : 640
        let images = try input.views.map { try $0.load(resources, in: context).color.reduced(maximumSide: side) }
        var regions = [MaskPlane?](repeating: nil, count: images.count)
        var foregrounds = regions
        for group in StaticBackground.groups(images) {
            let own = group.map { images[$0] }
            guard let background = StaticBackground(own) else { continue }
            let plate = input.isOnTurntable ? CleanPlate(own, background: background) : nil
            for view in group { (regions[view], foregrounds[view]) = (background.region, plate?.mask(of: images[view])) }
        }
        return (regions, foregrounds)
    }

    /// The points that lie clearly above the tables of the photos that observe them.
    private static func withoutTables(_ points: OrientedPoints, _ input: Input) -> OrientedPoints {
        var tables: [UInt16: Plane3<Float>] = [:]
        for (view, table) in zip(input.views, input.tables) { tables[UInt16(clamping: view.view.index)] = table }
        let noise = Float(input.bounds.map { DenseSupportPlane.noise(in: $0) } ?? DenseSupportPlane.relativeNoise)
        return points.filtered { index in
            guard let table = tables[points.viewIndices[points.viewOffsets[index]]] else { return true }
            return points.isAbove(table, noise: noise, index)
        }
    }
}

extension OrientedPoints {
    /// Whether a point is clearly above a table: noise has the normal of the table.
    fileprivate func isAbove(_ table: Plane3<Float>, noise: Float, _ index: Int) -> Bool {
        let height = table.signedDistance(to: positions[index])
        return height > 3 * noise || (height > noise && dot(normals[index], table.normal) < 0.7)
    }

    /// The points that are clearly above a table.
    func withoutSheet(on table: Plane3<Float>, noise: Float) -> OrientedPoints { filtered { isAbove(table, noise: noise, $0) } }
}

extension PhotoViewReference {
    /// Whether the photo may observe a part of the block; false only if it doesn't.
    fileprivate func mayObserve(_ block: DepthFusion.Block) -> Bool {
        block.mayBeObserved(
            by: PosedCamera(intrinsics: view.camera.intrinsics, cameraFromWorld: cameraFromWorld),
            depths: Double(depthRange.lowerBound)...Double(depthRange.upperBound))
    }
}

/// Fuses the points of one block of a large scene, thinned to its share of the largest number of points.
enum FusionBlockStage: Stage {
    struct Input: Sendable {
        let fusion: FusionStage.Input
        /// An index into the blocks.
        let block: Int
    }

    typealias Output = OrientedPoints

    static let name = "points-block"
    static let version = 2

    static func fileName(for input: Input) -> String { "points-\(input.block)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("fusion", FusionStage.artifact(for: input.fusion))
        key.add("block", input.block)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> OrientedPoints {
        let blocks = input.fusion.blocks
        return try FusionStage.fuse(input.fusion, blocks[input.block], with: resources, in: context)
            .thinned(to: max(1, input.fusion.mostPoints / blocks.count))
    }

    /// More photos are fused in blocks.
    static let mostPhotosAtOnce = 128

    /// The number of blocks at most; 0 if the photos are fused at once: few photos with no more points than the memory has room for.
    ///
    /// - Parameters:
    ///   - sizes: The stored sizes of the photos, registered or not.
    ///   - searched: The fraction of their pixels whose depth is estimated.
    ///   - wanted: `Configuration.fusionBlockCount`.
    static func largestCount(
        _ sizes: [PhotoSize], depthDimension: Int, searched: Double = 1, memory: MemoryPlan, wanted: Int?
    ) -> Int {
        if let wanted { return wanted }
        let pixels = sizes.reduce(0) { $0 + $1.reduced(maximumSide: depthDimension).pixels }
        // Three photos confirm a point.
        guard sizes.count > mostPhotosAtOnce || Double(pixels) * searched / 3 > Double(memory.mostPoints) else { return 0 }
        return max(2, pixels / memory.blockPixels)
    }
}

extension FusionBlockStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(fusion)
        writer.write(block)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(fusion: try reader.decode(), block: try reader.int())
        guard input.fusion.blocks.indices.contains(input.block) else { throw DamagedCheckpoint() }
        return input
    }
}

extension DepthFusion.Block: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(lower)
        writer.write(upper)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(lower: try reader.vector3(), upper: try reader.vector3())
    }
}

extension FusionStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(views)
        writer.encode(maps)
        writer.encode(sources)
        writer.encode(bounds)
        writer.encode(tables)
        writer.write(maskMargin) { $0.write($1) }
        writer.write(isOnTurntable)
        writer.write(memory)
        writer.encode(blocks)
        writer.write(mostPoints)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(
            views: try reader.decode(), maps: try reader.decode(), sources: try reader.decode(), bounds: try reader.decode(),
            tables: try reader.decode(),
            maskMargin: try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.double() }, isOnTurntable: try reader.bool(),
            memory: try reader.int(), blocks: try reader.decode(), mostPoints: try reader.int())
        guard input.maps.count == input.views.count, input.sources.count == input.views.count,
            input.tables.isEmpty || input.tables.count == input.views.count
        else { throw DamagedCheckpoint() }
        return input
    }
}

/// The final position and size of the object, from its surface points: the output of `FramingStage`.
struct ModelFraming: Equatable, Sendable {
    let modelFromPlaced: FrameTransform<PlacedFrame, ModelFrame>
    /// The box around the object's surface points, in the placed frame.
    let boxInPlaced: OrientedBox
    /// The plane that the object stands on, in the placed frame, if only the surface points show it.
    var supportPlane: Plane3<Float>?
}

extension ModelFraming: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(modelFromPlaced)
        writer.encode(boxInPlaced)
        writer.encode(supportPlane)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> ModelFraming {
        ModelFraming(modelFromPlaced: try reader.decode(), boxInPlaced: try reader.decode(), supportPlane: try reader.decode())
    }
}

/// Fits the object's box to its surface points and settles the model's frame: the object stands on the origin and has its final size.
enum FramingStage: Stage {
    struct Input: Sendable {
        let points: Artifact<OrientedPoints>
        /// The box around the object, in the placed frame.
        let box: OrientedBox
        let supportPlane: Plane3<Float>?
        /// Whether the photos show one side of something that continues beyond the box.
        let isView: Bool
        /// The longest side in the model's frame; nil: the scale stays.
        let size: Double?
        /// Whether the object ends at its lowest points: see `ObjectPlacement.standsOnBottom`.
        var standsOnBottom = false
        /// Whether the points are those of the object only, without its support.
        var isMasked = false
        /// The positions of the cameras, if a support plane is searched in the points: see `DenseSupportPlane`. Placed frame.
        var eyes: [Vector3d] = []
    }

    /// The framing of the model; nil if the placed frame is the model's.
    typealias Output = ModelFraming?

    static let name = "framing"
    static let version = 2

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("points", input.points)
        key.add("box", input.box)
        key.add("support plane", input.supportPlane)
        key.add("view", input.isView)
        key.add("size", input.size)
        if input.standsOnBottom { key.add("stands on bottom", true) }
        if input.isMasked { key.add("masked", true) }
        if !input.eyes.isEmpty { key.add("eyes", input.eyes.flatMap { [$0.x, $0.y, $0.z] }) }
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> ModelFraming? {
        let points = try resources.load(input.points)
        if !input.eyes.isEmpty, let support = DenseSupportPlane(in: points, box: input.box, eyes: input.eyes) {
            return framing(support, points, size: input.size)
        }
        let refined =
            input.isView
            ? input.box.shrunk(to: points)
            : input.box.refined(
                by: points, supportPlane: input.supportPlane, standsOnBottom: input.standsOnBottom, isMasked: input.isMasked)
        let scale = input.size.map { $0 / refined.longestSide } ?? 1
        guard scale > 0, scale.isFinite else { return nil }
        let base = Vector3d(refined.center.x, refined.corners.map(\.y).min() ?? 0, refined.center.z)
        let move = SimilarityTransform(scale: scale, rotation: .identity, translation: -base * scale)
        return ModelFraming(modelFromPlaced: FrameTransform(similarity: move), boxInPlaced: refined)
    }

    /// The framing of an object that stands on a plane which only the surface points show; nil without a valid size.
    private static func framing(_ support: DenseSupportPlane, _ points: OrientedPoints, size: Double?) -> ModelFraming? {
        let plane = Plane3<Float>(normal: Vector3(support.plane.normal), offset: Float(support.plane.offset))
        let noise = Float(DenseSupportPlane.noise(in: support.box))
        let box = support.box.refined(by: points.withoutSheet(on: plane, noise: noise), supportPlane: plane)
        let scale = size.map { $0 / box.longestSide } ?? 1
        guard scale > 0, scale.isFinite else { return nil }
        let (rotation, base) = (support.levelFromPoints, box.center - box.axes.y * box.halfExtents.y)
        let move = SimilarityTransform(scale: scale, rotation: rotation, translation: -(rotation * base) * scale)
        return ModelFraming(modelFromPlaced: FrameTransform(similarity: move), boxInPlaced: box, supportPlane: plane)
    }
}

extension FramingStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(points)
        writer.encode(box)
        writer.encode(supportPlane)
        writer.write(isView)
        writer.encode(size)
        writer.write(standsOnBottom)
        writer.write(isMasked)
        writer.write(eyes)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            points: try reader.decode(), box: try reader.decode(), supportPlane: try reader.decode(), isView: try reader.bool(),
            size: try reader.decode(), standsOnBottom: try reader.bool(), isMasked: try reader.bool(),
            eyes: try reader.vectors(of: Double.self))
    }
}
