import VitrineMath

/// The part of a local matrix beyond translation · rotation · scale.
struct SpecialTransform: Equatable {
    /// The exact `transform` if it has shear.
    var exact: Matrix4?
    var pivot: Matrix4?
    /// Kept beside `pivot`, as it is needed whenever the node moves.
    var inversePivot: Matrix4?

    /// `parentFromLocal` of a node with the transform `local`.
    func parentFromLocal(_ local: Transform) -> Matrix4 {
        let matrix = exact ?? local.matrix
        return inversePivot.map { matrix * $0 } ?? matrix
    }

    /// nil if nothing is left.
    var simplified: SpecialTransform? { exact == nil && pivot == nil ? nil : self }
}
