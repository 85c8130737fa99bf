import VitrineMath

extension PrimitiveBuilder {
    /// A point of an outline that is turned about the y axis.
    struct ProfilePoint {
        var radius, height: Float
        /// Unit: away from the axis, and up.
        var normal: Vector2
        var v: Float
    }

    /// Turns an outline about the y axis, its points from the upper edge of the texture to the lower one as seen from the front. The
    /// middle of the texture lies towards +Z, its seam towards −Z.
    ///
    /// - Parameter facesAxis: The front is on the inside.
    mutating func addRevolution(_ profile: [ProfilePoint], segments: Int, facesAxis: Bool = false) {
        let side: Float = facesAxis ? -1 : 1
        addGrid(columns: segments, rows: profile.count - 1) { column, row in
            let point = profile[row]
            // At a pole each triangle has its own vertex, in the middle of its strip of texture.
            let isPole = point.radius == 0 && (row == 0 || row == profile.count - 1)
            let shift = isPole ? (row == 0 ? 0.5 : -0.5) / Float(segments) : 0
            let (sine, cosine) = PrimitiveBuilder.direction(facesAxis ? segments - column : column, of: segments)
            let middle = (Float(column) / Float(segments) + shift - 0.5) * 2 * .pi * side
            let (leanSine, leanCosine) = isPole ? (sin(middle), cos(middle)) : (sine, cosine)
            return Vertex(
                position: Vector3(sine * point.radius, point.height, cosine * point.radius),
                normal: Vector3(leanSine * point.normal.x, point.normal.y, leanCosine * point.normal.x),
                tangent: Vector3(leanCosine, 0, -leanSine) * side,
                coordinate: Vector2(Float(column) / Float(segments) + shift, point.v))
        }
    }

    /// A disc or ring about the y axis, facing up or down, with the texture around it: upright from above when −Z is up, from below when
    /// +Z is.
    mutating func addCap(radius: Float, innerRadius: Float = 0, height: Float, segments: Int, facesUp: Bool, rings: Int = 1) {
        let up: Float = facesUp ? 1 : -1
        addGrid(columns: segments, rows: rings) { column, row in
            let outward = Float(facesUp ? row : rings - row) / Float(rings)
            let r = mix(innerRadius, radius, outward)
            let (sine, cosine) = PrimitiveBuilder.direction(column, of: segments)
            let scale = radius > 0 ? r / radius / 2 : 0
            return Vertex(
                position: Vector3(sine * r, height, cosine * r), normal: Vector3(0, up, 0), tangent: .right,
                coordinate: Vector2(0.5 + sine * scale, 0.5 + cosine * scale * up))
        }
    }

    /// Sine and cosine of a column's longitude; the last column lies exactly on the first.
    private static func direction(_ column: Int, of segments: Int) -> (Float, Float) {
        let longitude = (Float(column % segments) / Float(segments) - 0.5) * 2 * .pi
        return (sin(longitude), cos(longitude))
    }
}
