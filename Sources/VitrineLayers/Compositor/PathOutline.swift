import VitrineMath
import VitrineScene

/// The path of a layer.
struct PathOutline {
    let path: Path
    let rule: FillRule
    /// The bounding box of all points.
    let box: Rectangle
    let layer: Layer

    /// Returns nil for a path without points or with points that are not finite.
    init?(_ path: Path, _ rule: FillRule, _ layer: Layer) {
        guard let box = path.controlBounds, box.minimum.isFinite, box.maximum.isFinite else { return nil }
        (self.path, self.rule, self.layer) = (path, rule, layer)
        self.box = Rectangle(origin: box.minimum, size: box.maximum - box.minimum)
    }

    /// Returns how a stroke combines with the fill with which it shares an edge: each part of a pixel belongs to one of them.
    func joining(of stroke: Stroke) -> SurfacePlan.Joining {
        guard layer.fill != nil else { return .over }
        switch stroke.placement {
        case .center: return .over
        case .inside: return .atop
        case .outside: return .beside
        }
    }

    /// Returns the largest distance of a stroke from the bounding box.
    static func reach(of stroke: Stroke) -> Double {
        let half = Double(stroke.placement == .center ? stroke.width / 2 : stroke.width)
        return half * (stroke.join == .miter ? Double(clamp(stroke.miterLimit, 1.5, 100)) : 1.5)
    }

    /// Returns the coverage of the pixels of `region`, 0…255.
    func coverage(_ stroke: Stroke?, _ pixelFromPath: Homography, _ region: PixelRectangle, scale: Double) throws(LayerError) -> [UInt8] {
        // 1/25 of a pixel at the largest magnification.
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
        // Draws one side of a stroke of double width. Open outlines have no sides.
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
            // Over a fill, the edge of the fill clips the stroke.
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
