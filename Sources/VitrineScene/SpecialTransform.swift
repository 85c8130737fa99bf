import VitrineMath

/// The part of a local matrix beyond translation · rotation · scale.
struct SpecialTransform: Equatable {
    /// The exact `transform` if it has shear.
    var exact: Matrix4?
    var pivot: Matrix4?
    /// The inverse of `pivot`, stored because every movement of the node needs it.
    var inversePivot: Matrix4?

    /// Returns `parentFromLocal` of a node with the transform `local`.
    func parentFromLocal(_ local: Transform) -> Matrix4 {
        let matrix = exact ?? local.matrix
        return inversePivot.map { matrix * $0 } ?? matrix
    }

    /// The same value, or nil if it has no effect.
    var simplified: SpecialTransform? { exact == nil && pivot == nil ? nil : self }
}
