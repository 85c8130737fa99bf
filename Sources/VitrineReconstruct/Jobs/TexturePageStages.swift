import VitrineFiles
import VitrineMath
import VitrineTexture
import VitrineVision

/// Selects the photos of each triangle: the first part of `TextureStage`, if the texture is divided into pages.
enum TexturePlanStage: Stage {
    struct Input: Sendable {
        let texture: TextureStage.Input
    }

    struct Output: Sendable {
        let plan: TexturePlan
        /// One line for each photo that could not be used.
        let warnings: [String]
    }

    static let name = "texture-plan"
    static let version = 1

    static func fileName(for input: Input) -> String { "texture-plan-\(input.texture.detail)" }

    static func describe(_ input: Input, in key: inout StageKey) { key.add("texture", TextureStage.artifact(for: input.texture)) }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> Output {
        let surface = try resources.load(input.texture.surface)
        let failures = PhotoFailures()
        let plan = try TextureStage.reported { () throws(TextureError) in
            try input.texture.builder.plan(
                mesh: surface.mesh, photos: input.texture.photos(resources, failures, in: context), in: context)
        }
        return Output(plan: plan, warnings: failures.warnings(input.texture))
    }
}

/// Paints a page of a texture. All pages, one after the other, are the output of `TextureStage`.
enum TexturePageStage: Stage {
    struct Input: Sendable {
        let plan: TexturePlanStage.Input
        let page: Int
        /// The number of pages.
        let pages: Int

        /// The page's rows of the texture.
        var rows: Range<Int> { plan.texture.textureSize * page / pages..<plan.texture.textureSize * (page + 1) / pages }
    }

    typealias Output = TexturePage

    static let name = "texture-page"
    static let version = 1

    static func fileName(for input: Input) -> String { "texture-page-\(input.plan.texture.detail)-\(input.page)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("plan", TexturePlanStage.artifact(for: input.plan))
        key.add("page", input.page)
        key.add("pages", input.pages)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> TexturePage {
        let texture = input.plan.texture
        let plan = try resources.load(TexturePlanStage.artifact(for: input.plan)).plan
        let surface = try resources.load(texture.surface)
        let failures = PhotoFailures()
        let page = try TextureStage.reported { () throws(TextureError) in
            try texture.builder.page(
                input.rows, of: plan, mesh: surface.mesh, detailed: surface.fullMesh,
                photos: texture.photos(resources, failures, in: context), in: context)
        }
        // The plan could load them.
        if let failure = failures.all.first {
            throw ReconstructionError.noTexture("\(texture.views[failure.index].view.photo.name): \(failure.reason)")
        }
        return page
    }

    /// The number of pages of a texture: each has about four million texels.
    ///
    /// - Parameter wanted: `Configuration.texturePageCount`.
    static func count(textureSize: Int, wanted: Int?) -> Int { wanted ?? max(1, textureSize * textureSize >> 22) }

    /// Joins the pages, at least two, to the output of `TextureStage`.
    static func join(
        _ texture: TextureStage.Input, pages: Int, with resources: StageResources, in context: StageContext
    ) throws -> TextureStage.Output {
        let input = TexturePlanStage.Input(texture: texture)
        let planned = try resources.load(TexturePlanStage.artifact(for: input))
        func load(_ page: Int) throws -> TexturePage { try resources.load(artifact(for: Input(plan: input, page: page, pages: pages))) }
        var whole = try load(0)
        for page in 1..<pages { whole.append(try load(page)) }
        let surface = try resources.load(texture.surface)
        let mesh = try TextureStage.reported { () throws(TextureError) in
            try texture.builder.mesh(whole, of: planned.plan, mesh: surface.mesh, in: context)
        }
        let comparison = TextureStage.compare(surface.mesh, texture, resources, context)
        try context.checkCancellation()
        return TextureStage.Output(mesh: mesh, warnings: planned.warnings, comparison: comparison)
    }
}

extension TexturePlanStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.encode(texture) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self { Self(texture: try reader.decode()) }
}

extension TexturePlanStage.Output: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(plan)
        writer.encode(warnings)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let plan: TexturePlan = try reader.decode()
        return Self(plan: plan, warnings: try reader.decode())
    }
}

extension TexturePageStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(plan)
        writer.write(page)
        writer.write(pages)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        let input = Self(plan: try reader.decode(), page: try reader.int(), pages: try reader.int())
        guard input.pages > 0, input.pages < 1 << 20, (0..<input.pages).contains(input.page) else { throw DamagedCheckpoint() }
        return input
    }
}

extension TexturePlan: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(atlas.size)
        writer.write(atlas.sources)
        writer.write(atlas.texels)
        writer.write(atlas.triangles)
        writer.write(atlas.chartCount)
        for number in [atlas.density, atlas.meanStretch] { writer.write(number) }
        writer.write(candidates.counts)
        let entries = candidates.entries
        writer.write(entries.map(\.quality))
        writer.write(entries.map(\.color))
        writer.write(entries.map(\.view))
        writer.write(entries.map { $0.agrees ? 1 : 0 as UInt8 })
        writer.write(labels)
        writer.write(gains)
        writer.write(sharpness)
        writer.write(used)
        for values in [occlusion, roughness, light] { writer.write(values) }
        writer.encode(statistics)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> TexturePlan {
        let atlas = Atlas(
            size: try reader.int(), sources: try reader.array(of: Int32.self), texels: try reader.array(of: Vector2.self),
            triangles: try reader.vectors(of: Int32.self), chartCount: try reader.int(), density: try reader.float(),
            meanStretch: try reader.float())
        let counts = try reader.array(of: UInt8.self)
        let (qualities, colors) = (try reader.array(of: Float.self), try reader.array(of: SIMD4<UInt8>.self))
        let (views, agree) = (try reader.array(of: UInt16.self), try reader.array(of: UInt8.self))
        guard atlas.sources.count == atlas.texels.count, counts.count == atlas.triangles.count,
            atlas.triangles.allSatisfy({ $0.min() >= 0 && Int($0.max()) < atlas.sources.count }),
            counts.allSatisfy({ Int($0) <= ViewCandidates.capacity }), qualities.count == counts.count * ViewCandidates.capacity,
            [colors.count, views.count, agree.count].allSatisfy({ $0 == qualities.count })
        else { throw DamagedCheckpoint() }
        var candidates = ViewCandidates(triangleCount: counts.count)
        candidates.counts = counts
        for index in qualities.indices {
            candidates.entries[index] = .init(
                quality: qualities[index], color: colors[index], view: views[index], agrees: agree[index] != 0)
        }
        let labels = try reader.array(of: Int32.self)
        let (gains, sharpness) = (try reader.vectors(of: Float.self), try reader.array(of: Float.self))
        let used = try reader.array(of: Int.self)
        let (occlusion, roughness) = (try reader.array(of: Float.self), try reader.array(of: Float.self))
        let light = try reader.array(of: Float.self)
        guard labels.count == counts.count, labels.allSatisfy({ Int($0) < qualities.count }), gains.count == sharpness.count,
            used.allSatisfy({ gains.indices.contains($0) }),
            views.allSatisfy({ Int($0) < gains.count })
        else { throw DamagedCheckpoint() }
        return TexturePlan(
            atlas: atlas, candidates: candidates, labels: labels, gains: gains, sharpness: sharpness, used: used, occlusion: occlusion,
            roughness: roughness, light: light, statistics: try reader.decode())
    }
}

extension TexturePage: ByteCodable {
    var largeByteCount: Int { color.count + normal.count + occlusion.count + roughness.count + 2 * heights.count + isOwned.count + 128 }

    func write(to writer: inout ByteWriter) {
        writer.write(rows.lowerBound)
        writer.write(rows.upperBound)
        for plane in [color, normal, occlusion, roughness] { writer.write(plane) }
        writer.write(heights)
        writer.write(isOwned.map { $0 ? 1 : 0 as UInt8 })
        writer.write(coveredCount)
        writer.write(heightUnit) { $0.write($1) }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> TexturePage {
        let (first, last) = (try reader.int(), try reader.int())
        guard first >= 0, first <= last else { throw DamagedCheckpoint() }
        let (color, normal) = (try reader.array(of: UInt8.self), try reader.array(of: UInt8.self))
        let (occlusion, roughness) = (try reader.array(of: UInt8.self), try reader.array(of: UInt8.self))
        let (heights, owned) = (try reader.array(of: UInt16.self), try reader.array(of: UInt8.self))
        guard color.count == 3 * owned.count, [0, color.count].contains(normal.count), [0, owned.count].contains(occlusion.count),
            [0, owned.count].contains(roughness.count), [0, owned.count].contains(heights.count)
        else { throw DamagedCheckpoint() }
        return TexturePage(
            rows: first..<last, color: color, normal: normal, occlusion: occlusion, roughness: roughness, heights: heights,
            isOwned: owned.map { $0 != 0 }, coveredCount: try reader.int(),
            heightUnit: try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.float() })
    }
}
