import VitrineGPU
import VitrineMath
import VitrineScene

extension LayerPlanner {
    /// A path's coverage is worked out on the processor for the place where it is seen, perspective and all, and kept while it stays there.
    mutating func paintPath(
        _ path: Path, _ rule: FillRule, of layer: Layer, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard let outline = PathOutline(path, rule, layer) else { return }
        if layer.fill != nil, let stroke = layer.stroke, opacity < 1 || outline.joining(of: stroke) != .over {
            let surface = SurfacePlan(limit: plane.surface.limit, scale: plane.surface.scale, offset: plane.surface.offset)
            try paint(outline, opacity: 1, on: Plane(surface: surface, pixelFromPlane: plane.pixelFromPlane), planeFromPixel)
            place(surface, opacity: opacity, .normal, .identity, .identity, on: plane)
        } else {
            try paint(outline, opacity: opacity, on: plane, planeFromPixel)
        }
    }

    /// Fill, then stroke.
    private mutating func paint(
        _ outline: PathOutline, opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        let layer = outline.layer
        if let fill = layer.fill { try paint(fill, through: nil, outline, opacity, on: plane, planeFromPixel) }
        guard let stroke = layer.stroke, stroke.width > 0, stroke.width.isFinite else { return }
        switch stroke.paint {
        case .color(let color): try paint(.color(color), through: stroke, outline, opacity, on: plane, planeFromPixel)
        case .gradient(let gradient): try paint(.gradient(gradient), through: stroke, outline, opacity, on: plane, planeFromPixel)
        }
    }

    /// Fills a path with something else than the layer's own fill.
    mutating func paintPath(
        _ path: Path, _ rule: FillRule, of layer: Layer, as fill: Fill, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard let outline = PathOutline(path, rule, layer) else { return }
        try paint(fill, through: nil, outline, 1, on: plane, planeFromPixel)
    }

    /// Fills the path, or what a stroke covers along it.
    private mutating func paint(
        _ fill: Fill, through stroke: Stroke?, _ outline: PathOutline, _ opacity: Float, on plane: Plane, _ planeFromPixel: Homography
    ) throws(LayerError) {
        guard let found = try mask(of: outline, stroke: stroke, on: plane) else { return }
        var instance = found.0
        instance.placeInverse(planeFromPixel)
        instance.outline.w = opacity
        var draw = SurfacePlan.Draw(parts: .init(), source: .none, page: Int(instance.mask.z), blend: .normal, instance: 0)
        draw.parts.outline = .mask
        (draw.mask, draw.isStroke) = (outline.layer.outlineToken, stroke != nil)
        if let stroke { draw.joining = outline.joining(of: stroke) }
        var clips = plane.clips
        try paint(fill, of: outline.layer, &instance, &draw, &clips, plane, planeFromPixel)
        add(instance, draw, clips, covering: found.1, to: plane.surface)
    }

    /// An instance that shows the mask of a path or of its stroke, and the pixels of it; nil when nothing of it is in the picture.
    private func mask(
        of outline: PathOutline, stroke: Stroke?, on plane: Plane
    ) throws(LayerError) -> (LayerInstance, PixelRectangle)? {
        let h = plane.pixelFromPlane
        let reach = stroke.map { PathOutline.reach(of: $0) } ?? 0
        let (low, high) = (SIMD2<Double>(outline.box.minimum) - reach, SIMD2<Double>(outline.box.maximum) + reach)
        let corners = [low, SIMD2(high.x, low.y), high, SIMD2(low.x, high.y)]
        let region = PixelRectangle(around: h.map(corners), margin: 0.5).intersection(plane.surface.limit)
        guard !region.isEmpty, region.width <= 16_384, region.height <= 16_384 else { return nil }
        let own = Homography(scale: 1, offset: SIMD2(-Double(region.x), -Double(region.y))) * h
        let token = outline.layer.outlineToken
        let key = MaskAtlas.Key(
            token: ObjectIdentifier(token), part: stroke.map { outline.joining(of: $0) }, u: own.u, v: own.v, one: own.one,
            width: region.width,
            height: region.height)
        let place: MaskAtlas.Place
        if let known = renderer.masks.place(of: key) {
            place = known
        } else {
            var scale = h.scale(at: (low + high) / 2) ?? 0
            for corner in corners { scale = max(scale, h.scale(at: corner) ?? 0) }
            let bytes = try outline.coverage(stroke, h, region, scale: max(scale, 1e-6))
            place = try attempting("uploading a path") { () throws(GPUError) in try renderer.masks.add(bytes, key, token) }
        }
        var instance = LayerInstance()
        let size = Vector2(Float(region.width), Float(region.height)) / 2
        instance.rectangle = Vector4(lowHalf: Vector2(Float(region.x), Float(region.y)) + size, highHalf: size)
        instance.mask = Vector4(Float(place.x - region.x), Float(place.y - region.y), Float(place.page), 0)
        return (instance, region)
    }
}

/// A layer's path, to be drawn.
struct PathOutline {
    let path: Path
    let rule: FillRule
    /// Around all its points.
    let box: Rectangle
    let layer: Layer

    /// nil for a path without points, or with some that are not finite.
    init?(_ path: Path, _ rule: FillRule, _ layer: Layer) {
        guard let box = path.controlBounds, box.minimum.isFinite, box.maximum.isFinite else { return nil }
        (self.path, self.rule, self.layer) = (path, rule, layer)
        self.box = Rectangle(origin: box.minimum, size: box.maximum - box.minimum)
    }

    /// How a stroke is put beside the fill that it shares an edge with, in a picture of their own: each part of a pixel belongs to one of them.
    func joining(of stroke: Stroke) -> SurfacePlan.Joining {
        guard layer.fill != nil else { return .over }
        switch stroke.placement {
        case .center: return .over
        case .inside: return .atop
        case .outside: return .beside
        }
    }

    /// How far a stroke may reach beyond the box.
    static func reach(of stroke: Stroke) -> Double {
        let half = Double(stroke.placement == .center ? stroke.width / 2 : stroke.width)
        return half * (stroke.join == .miter ? Double(clamp(stroke.miterLimit, 1.5, 100)) : 1.5)
    }

    /// The coverage of the pixels of `region`, 0…255.
    func coverage(_ stroke: Stroke?, _ pixelFromPath: Homography, _ region: PixelRectangle, scale: Double) throws(LayerError) -> [UInt8] {
        // A twenty-fifth of a pixel where the path is largest.
        let tolerance = 0.04 / scale
        guard let stroke else {
            return fill(FlatOutline.outlines(of: path, tolerance: tolerance), rule, pixelFromPath, region)
        }
        let outlines = FlatOutline.outlines(of: path, tolerance: tolerance, greatestTurn: 0.1)
        guard let pieces = stroke.dashes.isEmpty ? outlines : FlatOutline.dashed(outlines, stroke.dashes, phase: stroke.dashPhase) else {
            throw .unsupported(layer: layer.name, what: "more than \(FlatOutline.greatestDashCount) dashes")
        }
        let width = Double(stroke.width)
        guard stroke.placement != .center else { return pen(pieces, stroke, width, pixelFromPath, region, tolerance) }
        // Twice as wide, and of that the half on the right side. What isn't closed has no sides.
        let closed = outlines.filter { $0.isClosed }
        let open = outlines.filter { !$0.isClosed }
        let isDashed = !stroke.dashes.isEmpty
        var bytes = pen(
            isDashed ? FlatOutline.dashed(closed, stroke.dashes, phase: stroke.dashPhase) ?? [] : closed, stroke, 2 * width, pixelFromPath,
            region, tolerance)
        let inside = fill(closed, rule, pixelFromPath, region)
        let line = pen(
            isDashed ? FlatOutline.dashed(open, stroke.dashes, phase: stroke.dashPhase) ?? [] : open, stroke, width, pixelFromPath, region,
            tolerance)
        for index in bytes.indices {
            // Atop a fill, the fill's own edge cuts the stroke off.
            let side = stroke.placement == .outside ? 255 - Int(inside[index]) : layer.fill == nil ? Int(inside[index]) : 255
            bytes[index] = max(UInt8((Int(bytes[index]) * side + 127) / 255), line[index])
        }
        return bytes
    }

    private func fill(
        _ outlines: [FlatOutline], _ rule: FillRule, _ pixelFromPath: Homography, _ region: PixelRectangle
    ) -> [UInt8] {
        var mask = CoverageMask(region)
        for outline in outlines where outline.points.count > 2 { mask.add(pixelFromPath.map(outline.points)) }
        return mask.bytes(rule)
    }

    private func pen(
        _ outlines: [FlatOutline], _ stroke: Stroke, _ width: Double, _ pixelFromPath: Homography, _ region: PixelRectangle,
        _ tolerance: Double
    ) -> [UInt8] {
        var stroker = Stroker(stroke, width: width, tolerance: tolerance)
        for outline in outlines { stroker.add(outline) }
        var mask = CoverageMask(region)
        for polygon in stroker.polygons { mask.add(pixelFromPath.map(polygon)) }
        return mask.bytes(.nonZero)
    }
}
