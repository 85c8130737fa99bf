@_exported import VitrineMath
